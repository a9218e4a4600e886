//! Kernels in each processor's own instructions, so that every load is known.

use std::arch::asm;
use std::hint::black_box;

use common::system::pages::{self, PageKind};

/// One subtraction and one conditional branch for each of `times`.
#[inline(never)]
pub(super) fn count_down(times: u64) {
    // SAFETY: counts a register down.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        asm!("2: sub {0}, 1", "jnz 2b", inout(reg) times => _);
        #[cfg(target_arch = "aarch64")]
        asm!("2: subs {0}, {0}, #1", "b.ne 2b", inout(reg) times => _);
        #[cfg(target_arch = "riscv64")]
        asm!("2: addi {0}, {0}, -1", "bnez {0}, 2b", inout(reg) times => _);
    }
}

/// One load for each of `times`, all from one address.
#[inline(never)]
pub(super) fn load(times: u64) {
    let place = black_box(1u64);
    // SAFETY: loads from a local variable.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        asm!("2: mov {1}, [{2}]", "sub {0}, 1", "jnz 2b", inout(reg) times => _, out(reg) _, in(reg) &place);
        #[cfg(target_arch = "aarch64")]
        asm!("2: ldr {1}, [{2}]", "subs {0}, {0}, #1", "b.ne 2b", inout(reg) times => _, out(reg) _, in(reg) &place);
        #[cfg(target_arch = "riscv64")]
        asm!("2: ld {1}, 0({2})", "addi {0}, {0}, -1", "bnez {0}, 2b", inout(reg) times => _, out(reg) _, in(reg) &place);
    }
}

/// One store for each of `times`, all to one address.
#[inline(never)]
pub(super) fn store(times: u64) {
    let mut place = black_box(1u64);
    // SAFETY: stores to a local variable.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        asm!("2: mov [{1}], {0}", "sub {0}, 1", "jnz 2b", inout(reg) times => _, in(reg) &mut place);
        #[cfg(target_arch = "aarch64")]
        asm!("2: str {0}, [{1}]", "subs {0}, {0}, #1", "b.ne 2b", inout(reg) times => _, in(reg) &mut place);
        #[cfg(target_arch = "riscv64")]
        asm!("2: sd {0}, 0({1})", "addi {0}, {0}, -1", "bnez {0}, 2b", inout(reg) times => _, in(reg) &mut place);
    }
    black_box(place);
}

/// One branch for each of `times`, which depends on a random bit: a predictor is wrong half
/// of the time.
#[inline(never)]
pub(super) fn guess(times: u64) {
    // xorshift64: Marsaglia, Xorshift RNGs, 2003.
    let mut bits = black_box(0x9e37_79b9_7f4a_7c15_u64);
    for _ in 0..times {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        // SAFETY: jumps over one instruction that does nothing.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            asm!("test {0}, 1", "jz 2f", "nop", "2:", in(reg) bits);
            #[cfg(target_arch = "aarch64")]
            asm!("tbz {0}, #0, 2f", "nop", "2:", in(reg) bits);
            #[cfg(target_arch = "riscv64")]
            asm!("andi {1}, {0}, 1", "beqz {1}, 2f", "nop", "2:", in(reg) bits, out(reg) _);
        }
    }
    black_box(bits);
}

/// A chain of a hundred dependent additions for each of `times`: one cycle each on any core
/// without value prediction.
#[inline(never)]
pub(super) fn chain(times: u64) {
    for _ in 0..times {
        // SAFETY: adds in registers.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            asm!(".rept 100", "add {0}, {0}", ".endr", inout(reg) times => _);
            #[cfg(target_arch = "aarch64")]
            asm!(".rept 100", "add {0}, {0}, {0}", ".endr", inout(reg) times => _);
            #[cfg(target_arch = "riscv64")]
            asm!(".rept 100", "add {0}, {0}, {0}", ".endr", inout(reg) times => _);
        }
    }
}

/// The width of a floating-point instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    Scalar,
    Packed128,
    Packed256,
    Packed512,
}

#[cfg(target_arch = "x86_64")]
macro_rules! add {
    ($times:expr, $instruction:literal) => {
        for _ in 0..$times / 10 {
            // SAFETY: adds in vector registers that it declares; the caller saw
            // that the processor has the instruction.
            unsafe { asm!(".rept 10", $instruction, ".endr", out("xmm0") _, out("xmm1") _) }
        }
    };
}

#[cfg(target_arch = "aarch64")]
macro_rules! add {
    ($times:expr, $instruction:literal) => {
        for _ in 0..$times / 10 {
            // SAFETY: adds in vector registers that it declares.
            unsafe { asm!(".rept 10", $instruction, ".endr", out("v0") _, out("v1") _) }
        }
    };
}

#[cfg(target_arch = "riscv64")]
macro_rules! add {
    ($times:expr, $instruction:literal) => {
        for _ in 0..$times / 10 {
            // SAFETY: adds in floating-point registers that it declares.
            unsafe { asm!(".rept 10", $instruction, ".endr", out("f0") _, out("f1") _) }
        }
    };
}

/// `times` additions of doubles, `times` a multiple of 10; false if this
/// processor has none of that width.
#[inline(never)]
pub(super) fn add_doubles(times: u64, width: Width) -> bool {
    match width {
        #[cfg(target_arch = "x86_64")]
        Width::Scalar => add!(times, "addsd xmm0, xmm1"),
        #[cfg(target_arch = "x86_64")]
        Width::Packed128 => add!(times, "addpd xmm0, xmm1"),
        #[cfg(target_arch = "x86_64")]
        Width::Packed256 if is_x86_feature_detected!("avx") => {
            add!(times, "vaddpd ymm0, ymm0, ymm1");
            // SAFETY: detected above; leaves no dirty upper halves behind.
            unsafe { asm!("vzeroupper") };
        }
        #[cfg(target_arch = "x86_64")]
        Width::Packed512 if is_x86_feature_detected!("avx512f") => {
            add!(times, "vaddpd zmm0, zmm0, zmm1");
            // SAFETY: as above.
            unsafe { asm!("vzeroupper") };
        }
        #[cfg(target_arch = "aarch64")]
        Width::Scalar => add!(times, "fadd d0, d0, d1"),
        #[cfg(target_arch = "aarch64")]
        Width::Packed128 => add!(times, "fadd v0.2d, v0.2d, v1.2d"),
        #[cfg(target_arch = "riscv64")]
        Width::Scalar => add!(times, "fadd.d f0, f0, f1"),
        #[allow(unreachable_patterns)]
        _ => return false,
    }
    true
}

/// The same as [`add_doubles`] for single-precision numbers.
#[inline(never)]
pub(super) fn add_singles(times: u64, width: Width) -> bool {
    match width {
        #[cfg(target_arch = "x86_64")]
        Width::Scalar => add!(times, "addss xmm0, xmm1"),
        #[cfg(target_arch = "x86_64")]
        Width::Packed128 => add!(times, "addps xmm0, xmm1"),
        #[cfg(target_arch = "x86_64")]
        Width::Packed256 if is_x86_feature_detected!("avx") => {
            add!(times, "vaddps ymm0, ymm0, ymm1");
            // SAFETY: detected above; leaves no dirty upper halves behind.
            unsafe { asm!("vzeroupper") };
        }
        #[cfg(target_arch = "x86_64")]
        Width::Packed512 if is_x86_feature_detected!("avx512f") => {
            add!(times, "vaddps zmm0, zmm0, zmm1");
            // SAFETY: as above.
            unsafe { asm!("vzeroupper") };
        }
        #[cfg(target_arch = "aarch64")]
        Width::Scalar => add!(times, "fadd s0, s0, s1"),
        #[cfg(target_arch = "aarch64")]
        Width::Packed128 => add!(times, "fadd v0.4s, v0.4s, v1.4s"),
        #[cfg(target_arch = "riscv64")]
        Width::Scalar => add!(times, "fadd.s f0, f0, f1"),
        #[allow(unreachable_patterns)]
        _ => return false,
    }
    true
}

/// A random chain in memory: each element is the index of the next, and all are in one
/// cycle.
pub(super) struct Round {
    next: Vec<usize>,
}

impl Round {
    /// A chain of `places` elements, `stride` bytes from each other in small pages (a huge
    /// page would need only one TLB entry), accessed once already.
    pub(super) fn new(places: usize, stride: usize) -> Round {
        let words = (stride / size_of::<usize>()).max(1);
        let mut order: Vec<usize> = (0..places).collect();
        let mut bits = 0x2545_f491_4f6c_dd1d_u64;
        for i in (1..places).rev() {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            order.swap(i, (bits % (i as u64 + 1)) as usize);
        }
        let mut next: Vec<usize> = Vec::with_capacity(places * words);
        pages::advise(next.spare_capacity_mut(), PageKind::Base);
        next.resize(places * words, 0);
        for (from, to) in order.iter().zip(order.iter().cycle().skip(1)) {
            next[from * words] = to * words;
        }
        let round = Round { next };
        round.walk(places as u64);
        round
    }

    /// Follows the chain for `steps` elements.
    #[inline(never)]
    pub(super) fn walk(&self, steps: u64) {
        let mut at = 0;
        for _ in 0..steps {
            at = black_box(self.next[at]);
        }
        black_box(at);
    }
}
