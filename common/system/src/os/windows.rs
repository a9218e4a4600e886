//! Windows: the processor itself reports the facts; large pages need a privilege that
//! students do not have.

use std::io;
use std::ptr::NonNull;

use figures::units::{Bytes, Seconds};
use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::Memory::{
    MEM_COMMIT, MEM_RELEASE, MEM_RESERVE, PAGE_READWRITE, VirtualAlloc, VirtualFree,
};
use windows_sys::Win32::System::SystemInformation::{
    GetSystemInfo, GlobalMemoryStatusEx, MEMORYSTATUSEX, SYSTEM_INFO,
};
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetCurrentProcessorNumber, GetCurrentThread, GetProcessAffinityMask, GetProcessTimes,
    SetThreadAffinityMask,
};

pub(crate) use super::portable::*;
use crate::facts::Facts;

/// User and kernel time, which Windows counts in units of 100 ns.
pub(crate) fn process_cpu() -> Seconds {
    let [mut made, mut ended, mut kernel, mut user] = [FILETIME { dwLowDateTime: 0, dwHighDateTime: 0 }; 4];
    // SAFETY: the system writes the four structs; the handle means this process.
    unsafe { GetProcessTimes(GetCurrentProcess(), &mut made, &mut ended, &mut kernel, &mut user) };
    let units = |t: FILETIME| (u64::from(t.dwHighDateTime) << 32 | u64::from(t.dwLowDateTime)) as f64;
    Seconds((units(kernel) + units(user)) * 1e-7)
}

pub(crate) fn page_size() -> Option<Bytes> {
    // SAFETY: zero bytes are a valid struct, which the system fills.
    let info = unsafe {
        let mut info: SYSTEM_INFO = std::mem::zeroed();
        GetSystemInfo(&mut info);
        info
    };
    Some(Bytes(u64::from(info.dwPageSize))).filter(|size| size.0.is_power_of_two())
}

pub(crate) fn map(bytes: usize) -> io::Result<NonNull<u8>> {
    // SAFETY: new pages at a place of the system's choice.
    let pages = unsafe { VirtualAlloc(std::ptr::null(), bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE) };
    NonNull::new(pages.cast()).ok_or_else(io::Error::last_os_error)
}

pub(crate) unsafe fn unmap(start: NonNull<u8>, _bytes: usize) {
    // SAFETY: the caller guarantees it; 0 means the whole reservation.
    unsafe { VirtualFree(start.as_ptr().cast(), 0, MEM_RELEASE) };
}

pub(crate) fn facts(_cpu: usize) -> Facts {
    let host_name = std::env::var("COMPUTERNAME").ok();
    Facts { system: Some("Windows".to_owned()), host_name, ..Facts::default() }
}

/// The processors of the first group: up to 64.
pub(crate) fn allowed() -> Vec<usize> {
    let (mut mine, mut all) = (0, 0);
    // SAFETY: the system writes the two masks.
    unsafe { GetProcessAffinityMask(GetCurrentProcess(), &mut mine, &mut all) };
    (0..usize::BITS as usize).filter(|cpu| mine >> cpu & 1 == 1).collect()
}

pub(crate) fn current() -> Option<usize> {
    // SAFETY: has no arguments and touches no memory of ours.
    Some(unsafe { GetCurrentProcessorNumber() } as usize)
}

pub(crate) fn pin(cpus: &[usize]) -> bool {
    if cpus.iter().any(|&cpu| cpu >= usize::BITS as usize) {
        return false;
    }
    let mask = cpus.iter().fold(0, |mask, cpu| mask | 1 << cpu);
    // SAFETY: a handle that means this thread, and a number.
    unsafe { SetThreadAffinityMask(GetCurrentThread(), mask) != 0 }
}

pub(crate) fn free_memory() -> Option<Bytes> {
    // SAFETY: zero bytes are a valid struct; the system fills it if it finds
    // its length in it.
    unsafe {
        let mut status: MEMORYSTATUSEX = std::mem::zeroed();
        status.dwLength = size_of::<MEMORYSTATUSEX>() as u32;
        (GlobalMemoryStatusEx(&mut status) != 0).then_some(Bytes(status.ullAvailPhys))
    }
}
