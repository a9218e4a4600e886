//! Commands that are denied system calls.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Loads a system call's number and compares it with each of `calls`. Those fail with their
/// error; all others are allowed.
fn filter(calls: &[(libc::c_long, i32)]) -> Vec<libc::sock_filter> {
    let statement = |code: u32, k: u32, jt: u8| libc::sock_filter { code: code as u16, jt, jf: 0, k };
    let mut program = vec![statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0)];
    for (number, error) in calls {
        let jump = statement(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, *number as u32, 0);
        program.push(libc::sock_filter { jf: 1, ..jump });
        program.push(statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ERRNO | *error as u32, 0));
    }
    program.push(statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW, 0));
    program
}

/// The command, without these system calls.
pub(crate) fn without(mut command: Command, calls: &[(libc::c_long, i32)]) -> Command {
    let program = filter(calls);
    let forbid = move || {
        let filter = libc::sock_fprog { len: program.len() as u16, filter: program.as_ptr().cast_mut() };
        // SAFETY: both calls are async-signal-safe; the kernel copies the filter.
        let refused = unsafe {
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
                || libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const filter) != 0
        };
        if refused { Err(io::Error::last_os_error()) } else { Ok(()) }
    };
    // SAFETY: the closure allocates nothing and takes no lock.
    unsafe { command.pre_exec(forbid) };
    command
}
