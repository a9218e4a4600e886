//! What a student's program may use: processor time, memory, and no other process.

use std::io;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// Bytes of address space.
pub(crate) const MEMORY: u64 = 512 << 20;
/// Seconds of processor time.
pub(crate) const CPU_S: u64 = 5;

/// How a program ended.
pub(crate) struct Ended {
    /// It did not end before the deadline.
    pub(crate) is_late: bool,
    /// The signal that ended it.
    pub(crate) signal: Option<i32>,
    /// The most memory that it had, in bytes.
    pub(crate) peak: u64,
}

/// Limits what `command` may use, once it is started.
pub(crate) fn confine(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
    #[cfg(target_os = "linux")]
    let filter = filter::new();
    let set_up = move || {
        for (resource, soft, hard) in [
            (libc::RLIMIT_CPU, CPU_S, CPU_S + 1),
            (libc::RLIMIT_AS, MEMORY, MEMORY),
            (libc::RLIMIT_FSIZE, 1 << 20, 1 << 20),
            (libc::RLIMIT_CORE, 0, 0),
        ] {
            let limit = libc::rlimit { rlim_cur: soft, rlim_max: hard };
            // SAFETY: `limit` is a valid rlimit.
            if unsafe { libc::setrlimit(resource, &raw const limit) } != 0 && resource != libc::RLIMIT_AS {
                return Err(io::Error::last_os_error());
            }
        }
        #[cfg(target_os = "linux")]
        filter::install(&filter);
        Ok(())
    };
    // SAFETY: the closure makes system calls alone; it allocates nothing and takes no lock.
    unsafe { command.pre_exec(set_up) };
}

/// Ends the program with all it started.
pub(crate) fn end(child: &Child) {
    // SAFETY: the process was not waited for yet, so its group's number is still its own.
    unsafe { libc::kill(-(child.id() as libc::pid_t), libc::SIGKILL) };
}

/// Waits for the end of the program, and ends it at `deadline`.
pub(crate) fn wait(child: &Child, deadline: Instant) -> Ended {
    let mut status = 0;
    // SAFETY: zeros are a valid rusage.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    let pid = child.id() as libc::pid_t;
    let mut is_late = false;
    loop {
        let options = if is_late { 0 } else { libc::WNOHANG };
        // SAFETY: both places are valid; no other thread waits for this child.
        match unsafe { libc::wait4(pid, &raw mut status, options, &raw mut usage) } {
            0 if Instant::now() >= deadline => {
                is_late = true;
                end(child);
            }
            0 => std::thread::sleep(Duration::from_millis(1)),
            -1 if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
            _ => break,
        }
    }
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    Ended {
        is_late,
        signal: libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status)),
        peak: usage.ru_maxrss.unsigned_abs().saturating_mul(unit),
    }
}

/// System calls that end the program: those that start processes or reach others.
#[cfg(target_os = "linux")]
mod filter {
    use libc::{
        BPF_ABS, BPF_JEQ, BPF_JGE, BPF_JMP, BPF_K, BPF_LD, BPF_RET, BPF_W, SECCOMP_RET_ALLOW,
        SECCOMP_RET_KILL_PROCESS, c_long, sock_filter,
    };

    /// The number of this instruction set in the kernel's audit.
    const ARCHITECTURE: Option<u32> = if cfg!(target_arch = "x86_64") {
        Some(0xc000_003e)
    } else if cfg!(target_arch = "aarch64") {
        Some(0xc000_00b7)
    } else if cfg!(target_arch = "riscv64") {
        Some(0xc000_00f3)
    } else {
        None
    };

    const DENIED: &[c_long] = &[
        libc::SYS_clone,
        libc::SYS_clone3,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_fork,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_vfork,
        libc::SYS_kill,
        libc::SYS_ptrace,
        libc::SYS_process_vm_writev,
        libc::SYS_socket,
    ];

    /// The filter's instructions; none where the instruction set is unknown.
    pub(super) fn new() -> Vec<sock_filter> {
        let Some(architecture) = ARCHITECTURE else { return Vec::new() };
        let instruction = |code: u32, k: u32, jt: u8, jf: u8| sock_filter { code: code as u16, jt, jf, k };
        let load = |offset| instruction(BPF_LD | BPF_W | BPF_ABS, offset, 0, 0);
        let kill = instruction(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
        let equal = |k, jt, jf| instruction(BPF_JMP | BPF_JEQ | BPF_K, k, jt, jf);
        // The calls of another instruction set, and x32's, have other numbers.
        let mut all = vec![load(4), equal(architecture, 1, 0), kill, load(0)];
        all.extend([instruction(BPF_JMP | BPF_JGE | BPF_K, 0x4000_0000, 0, 1), kill]);
        for call in DENIED {
            all.extend([equal(*call as u32, 0, 1), kill]);
        }
        all.push(instruction(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0));
        all
    }

    /// Installs it, where the kernel has such filters.
    pub(super) fn install(filter: &[sock_filter]) {
        if filter.is_empty() {
            return;
        }
        let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut() };
        // SAFETY: `program` describes the slice, which outlives the calls; the kernel copies it.
        unsafe {
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
            libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program);
        }
    }
}
