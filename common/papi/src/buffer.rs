//! The buffers to which rewritten code appends records. Their form is that of the crate `instrument`.

use std::sync::atomic::AtomicU64;

/// Bytes of a buffer that may be full before it is drained; its address is a multiple of [`ALIGN`],
/// so that rewritten code finds out from one byte of an address.
pub(crate) const FULL: u64 = 1 << 16;
pub(crate) const ALIGN: usize = 1 << 24;
/// Words of a record, at most.
pub(crate) const LONGEST: usize = 256;
/// Bytes of a buffer: at most one record begins when it is full.
pub(crate) const BYTES: usize = FULL as usize + 2 * 8 * LONGEST;

// `lab_ptr` says that the buffer is full until there is one. `lab_slow` changes no register. Four
// functions are called by their symbols: `lab_begin` and `lab_end` are in `program.rs`, `lab_drain` and
// `lab_main_begins` are in `thread.rs`.
std::arch::global_asm!(
    ".pushsection .tdata,\"awT\",@progbits",
    ".globl lab_ptr",
    ".type lab_ptr,@object",
    ".balign 8",
    "lab_ptr: .quad 0x10000",
    ".size lab_ptr,8",
    ".popsection",
    ".pushsection .init_array.00000,\"aw\"",
    ".balign 8",
    ".quad lab_begin",
    ".popsection",
    ".pushsection .fini_array.00000,\"aw\"",
    ".balign 8",
    ".quad lab_end",
    ".popsection",
    ".globl lab_slow",
    ".type lab_slow,@function",
    "lab_slow:",
    ".cfi_startproc",
    "pushfq",
    "pushq %rax; pushq %rcx; pushq %rdx; pushq %rsi; pushq %rdi; pushq %r8; pushq %r9; pushq %r10; pushq %r11",
    "pushq %rbp; pushq %rbx",
    "movq %rsp,%rbp",
    // So that the caller is found from a signal's handler.
    ".cfi_def_cfa %rbp,104",
    ".cfi_offset %rbp,-96",
    ".cfi_offset %rbx,-104",
    // The state of vectors and masks, at most 11 KiB; its header must be 0.
    "subq $16384,%rsp",
    "andq $-64,%rsp",
    "xorl %eax,%eax",
    "movq %rax,512(%rsp); movq %rax,520(%rsp); movq %rax,528(%rsp); movq %rax,536(%rsp)",
    "movq %rax,544(%rsp); movq %rax,552(%rsp); movq %rax,560(%rsp); movq %rax,568(%rsp)",
    "movl $0xe7,%eax",
    "xorl %edx,%edx",
    "xsave64 (%rsp)",
    "cld",
    "call lab_drain",
    "movl $0xe7,%eax",
    "xorl %edx,%edx",
    "xrstor64 (%rsp)",
    "movq %rbp,%rsp",
    "popq %rbx; popq %rbp",
    "popq %r11; popq %r10; popq %r9; popq %r8; popq %rdi; popq %rsi; popq %rdx; popq %rcx; popq %rax",
    "popfq",
    "ret",
    ".cfi_endproc",
    // The stack of `main` begins at a page, so that its lines are the same ones in each run.
    ".globl __wrap_main",
    ".type __wrap_main,@function",
    "__wrap_main:",
    ".cfi_startproc",
    "pushq %rbp",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset %rbp,-16",
    "movq %rsp,%rbp",
    ".cfi_def_cfa_register %rbp",
    "andq $-4096,%rsp",
    "movq %rsp,{stack}(%rip)",
    "pushq %rdi; pushq %rsi; pushq %rdx; pushq %rdx",
    "call lab_main_begins",
    "popq %rdx; popq %rdx; popq %rsi; popq %rdi",
    "call __real_main",
    "leave",
    ".cfi_def_cfa %rsp,8",
    "ret",
    ".cfi_endproc",
    stack = sym STACK,
    options(att_syntax)
);

/// The stack pointer when `main` was called, a multiple of a page; 0 before.
pub(crate) static STACK: AtomicU64 = AtomicU64::new(0);

/// The calling thread's place of `lab_ptr`.
pub(crate) fn pointer() -> *const AtomicU64 {
    let place: *const AtomicU64;
    // SAFETY: the ABI's way to the address of a thread's variable; it reads memory alone.
    unsafe {
        std::arch::asm!(
            "mov {0}, qword ptr fs:[0]",
            "add {0}, qword ptr [rip + lab_ptr@GOTTPOFF]",
            out(reg) place,
            options(nostack, readonly)
        );
    }
    place
}

/// The calling thread's `lab_ptr`.
pub(crate) fn own() -> &'static AtomicU64 {
    // SAFETY: the variable is there as long as the thread runs, and the reference does not leave it.
    unsafe { &*pointer() }
}
