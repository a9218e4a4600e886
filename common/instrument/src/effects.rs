//! What an instruction reads, writes and counts as.

use iced_x86::{
    FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register, UsedMemory,
};

/// Registers: general ones by number, then vectors, then masks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Registers(u64);

/// The stack pointer.
pub(crate) const RSP: Registers = Registers(1 << 4);

impl Registers {
    pub(crate) const NONE: Registers = Registers(0);

    pub(crate) fn of(register: Register) -> Registers {
        let full = register.full_register();
        Registers(if full.is_gpr() {
            1 << full.number()
        } else if full.is_vector_register() {
            1 << (16 + full.number())
        } else if full.is_k() {
            1 << (48 + full.number())
        } else {
            0
        })
    }

    pub(crate) fn and(self, other: Registers) -> Registers {
        Registers(self.0 | other.0)
    }

    pub(crate) fn without(self, other: Registers) -> Registers {
        Registers(self.0 & !other.0)
    }

    pub(crate) fn meets(self, other: Registers) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn general(self) -> u32 {
        (self.0 & 0xffff).count_ones()
    }
}

/// What an instruction adds to events, in the order of the descriptor.
pub(crate) const EVENTS: usize = 9;
pub(crate) type Counts = [u16; EVENTS];

/// Events of one instruction: instructions, branches, conditional branches, floating-point
/// instructions, operations of single and double precision, and vector instructions of both, single
/// and double precision.
pub(crate) fn counts(instruction: &Instruction) -> Counts {
    use FlowControl::{Call, ConditionalBranch, IndirectBranch, IndirectCall, Return, UnconditionalBranch};
    let flow = instruction.flow_control();
    let is_conditional = flow == ConditionalBranch;
    let is_branch =
        is_conditional || matches!(flow, UnconditionalBranch | IndirectBranch | Call | IndirectCall | Return);
    let [single, double, is_vector] = operations(instruction);
    let is_float = single + double > 0;
    [
        1,
        is_branch.into(),
        is_conditional.into(),
        is_float.into(),
        single,
        double,
        is_vector * u16::from(is_float),
        is_vector * u16::from(single > 0),
        is_vector * u16::from(double > 0),
    ]
}

/// Operations of single and of double precision, and 1 for a vector's. A multiply-add is two, as
/// Intel's FP_ARITH_INST_RETIRED counts it; masks are not looked at.
fn operations(instruction: &Instruction) -> [u16; 3] {
    let name = format!("{:?}", instruction.mnemonic()).to_uppercase();
    // FADD, FIADD, FADDP, FSUBRP.
    let x87 = name.strip_prefix("FI").or(name.strip_prefix('F'));
    let x87 = x87.map(|name| name.trim_end_matches('P').trim_end_matches('R'));
    if x87.is_some_and(|name| ["ADD", "SUB", "MUL", "DIV", "SQRT"].contains(&name)) {
        return [0, 1, 0];
    }
    let Some((name, kind)) = name.len().checked_sub(2).map(|at| name.split_at(at)) else { return [0; 3] };
    let name = name.strip_prefix('V').unwrap_or(name);
    const ONE: [&str; 13] =
        ["ADD", "SUB", "MUL", "DIV", "SQRT", "MIN", "MAX", "ADDSUB", "HADD", "HSUB", "DP", "RCP", "RSQRT"];
    let is_fused = ["FMADD", "FMSUB", "FNMADD", "FNMSUB"].iter().any(|fused| name.starts_with(fused));
    if !is_fused && !ONE.contains(&name) {
        return [0; 3];
    }
    let bytes = instruction.op0_register().size().max(16) as u16;
    let width = match kind {
        "SS" | "SD" => 1,
        "PS" => bytes / 4,
        "PD" => bytes / 8,
        _ => return [0; 3],
    };
    let operations = width * if is_fused { 2 } else { 1 };
    let is_vector = u16::from(kind.starts_with('P'));
    if kind.ends_with('S') { [operations, 0, is_vector] } else { [0, operations, is_vector] }
}

pub(crate) const LOAD: u8 = 1;
pub(crate) const STORE: u8 = 2;

/// Loads and stores of an access.
pub(crate) fn access(memory: &UsedMemory) -> u8 {
    match memory.access() {
        OpAccess::Read | OpAccess::CondRead => LOAD,
        OpAccess::Write | OpAccess::CondWrite => STORE,
        OpAccess::ReadWrite | OpAccess::ReadCondWrite => LOAD | STORE,
        _ => 0,
    }
}

/// Bytes of an access; 0 if they are not known.
pub(crate) fn bytes(instruction: &Instruction, memory: &UsedMemory) -> u16 {
    match memory.memory_size().size() {
        0 if instruction.is_stack_instruction() => 8,
        bytes => bytes as u16,
    }
}

pub(crate) fn has_memory_operand(instruction: &Instruction) -> bool {
    instruction.op_kinds().any(|kind| kind == OpKind::Memory)
}

/// Whether it is the first instruction of a function that indirect branches may call.
pub(crate) fn is_landing(instruction: &Instruction) -> bool {
    matches!(instruction.mnemonic(), Mnemonic::Endbr64 | Mnemonic::Endbr32)
}

/// Whether a run of instructions ends with this one.
pub(crate) fn ends_run(instruction: &Instruction) -> bool {
    !matches!(instruction.flow_control(), FlowControl::Next | FlowControl::Exception)
        || instruction.mnemonic() == Mnemonic::Syscall
}

/// The registers that it writes, and by how many bytes it moves the stack pointer; none if that is not known.
pub(crate) fn written(
    instruction: &Instruction,
    factory: &mut InstructionInfoFactory,
) -> (Registers, Option<i64>) {
    let mut written = Registers::default();
    for used in factory.info(instruction).used_registers() {
        use OpAccess::{CondWrite, ReadCondWrite, ReadWrite, Write};
        if matches!(used.access(), Write | ReadWrite | CondWrite | ReadCondWrite) {
            written = written.and(Registers::of(used.register()));
        }
    }
    if !written.meets(RSP) {
        return (written, Some(0));
    }
    let immediate = || {
        let is_known = matches!(instruction.op1_kind(), OpKind::Immediate8to64 | OpKind::Immediate32to64);
        is_known.then(|| instruction.immediate(1).cast_signed())
    };
    let moved = match instruction.mnemonic() {
        Mnemonic::Pop if instruction.op0_register() == Register::RSP => None,
        Mnemonic::Push | Mnemonic::Pop | Mnemonic::Pushfq | Mnemonic::Popfq => {
            Some(instruction.stack_pointer_increment().into())
        }
        Mnemonic::Sub => immediate().map(|bytes| -bytes),
        Mnemonic::Add => immediate(),
        _ => None,
    };
    (written.without(RSP), moved)
}
