//! The guide's products, and versions without one cause of their time, as a table.

use common::cache::Modelled;
use common::memory::{Matrix, Unobserved};

/// The operands of the kernels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operands<'a> {
    pub(super) mul1: Matrix<'a, i16>,
    pub(super) mul2: Matrix<'a, i16>,
    /// `mul2` transposed.
    pub(super) tmp: Matrix<'a, i16>,
    pub(super) res: Matrix<'a, i16>,
    /// Elements in a row of mm3's blocks.
    pub(super) block: usize,
}

/// One product, for either memory.
#[derive(Clone, Copy)]
pub(super) struct Kernel {
    pub(super) name: &'static str,
    /// Its loops and its inner statement, in C.
    pub(super) c: &'static str,
    /// What a step waits for, in addition to its own loads.
    pub(super) waits: &'static str,
    /// With one instruction for each access: the code that the guide's programs measure.
    pub(super) native: fn(Operands<'_>),
    /// With free choice of the compiler: sums in registers, several elements at once.
    pub(super) free: fn(&mut Unobserved, Operands<'_>),
    pub(super) modelled: fn(&mut Modelled, Operands<'_>),
}

const MEMORY: &str = "the previous store";
const REGISTER: &str = "the last sum";
const NOTHING: &str = "nothing";

macro_rules! kernel {
    ($name:literal, $c:literal, $waits:expr, $program:ident::$kernel:ident($($operand:ident),*)) => {
        Kernel {
            name: $name,
            c: $c,
            waits: $waits,
            native: |o| $program::native::$kernel($(o.$operand),*),
            free: {
                fn free(mem: &mut Unobserved, o: Operands<'_>) {
                    $program::$kernel(mem, $(o.$operand),*);
                }
                free
            },
            modelled: |mem, o| $program::$kernel(mem, $(o.$operand),*),
        }
    };
}

/// All of them: the guide's three, and with each a version without one cause.
#[rustfmt::skip]
pub(super) const KERNELS: &[Kernel] = &[
    kernel!("mm1", "i j k: res[i][j] += mul1[i][k] * mul2[k][j]", MEMORY, mm1::multiply(mul1, mul2, res)),
    kernel!("mm1, sum in a register", "i j k: sum += mul1[i][k] * mul2[k][j]", REGISTER,
        mm1::multiply_in_register(mul1, mul2, res)),
    kernel!("mm2", "i j k: res[i][j] += mul1[i][k] * tmp[j][k]", MEMORY, mm2::multiply(mul1, tmp, res)),
    kernel!("mm2, sum in a register", "i j k: sum += mul1[i][k] * tmp[j][k]", REGISTER,
        mm2::multiply_in_register(mul1, tmp, res)),
    kernel!("ikj, without blocks", "i k j: res[i][j] += mul1[i][k] * mul2[k][j]", NOTHING,
        mm3::multiply_unblocked(mul1, mul2, res)),
    kernel!("mm3", "blocks, i k j: res[i][j] += mul1[i][k] * mul2[k][j]", NOTHING,
        mm3::multiply(mul1, mul2, res, block)),
];

#[cfg(test)]
mod tests {
    use super::*;
    use common::machine::Machine;
    use common::memory::Arena;

    /// The closed forms of a step: three loads and a store where the sum is in
    /// memory, two loads where it is in a register.
    #[test]
    fn each_kernel_makes_the_accesses_of_its_c_text_and_the_same_product() {
        let n = 24u64;
        let arena = Arena::with_capacity(10 * 24 * 24).unwrap();
        let [mul1, mul2, tmp, res] =
            ["mul1", "mul2", "tmp", "res"].map(|name| arena.matrix::<i16>(name, 24, 24).unwrap());
        mul1.fill(|i, j| (i * 7 + j) as i16);
        mul2.fill(|i, j| (i + 3 * j) as i16);
        tmp.fill(|i, j| mul2.at(j, i).get());
        let o = Operands { mul1, mul2, tmp, res, block: 8 };
        let mut products = Vec::new();
        for kernel in KERNELS {
            res.fill(|_, _| 0);
            let mut model = Modelled::new(&Machine::named("i5-7500").unwrap(), &arena).unwrap();
            (kernel.modelled)(&mut model, o);
            let counts = model.counts();
            let (loads, stores) = match kernel.waits {
                REGISTER => (2 * n * n * n + n * n, n * n),
                _ => (3 * n * n * n, n * n * n),
            };
            assert_eq!((counts.loads, counts.stores), (loads, stores), "{}", kernel.name);
            res.fill(|_, _| 0);
            (kernel.native)(o);
            products.push(res.flat().to_vec());
            res.fill(|_, _| 0);
            (kernel.free)(&mut Unobserved, o);
            products.push(res.flat().to_vec());
        }
        assert!(products.iter().all(|product| *product == products[0]));
    }
}
