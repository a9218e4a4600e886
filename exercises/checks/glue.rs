#[allow(dead_code)]
unsafe extern "C" {
    fn failed(text: *const std::ffi::c_char) -> !;
    safe fn misses() -> u64;
}

/// Before all calls: a panic ends the program, with its line.
#[unsafe(no_mangle)]
extern "C" fn prepare() {
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.payload().downcast_ref::<String>().map(String::as_str);
        let text = text.or(panic.payload().downcast_ref::<&str>().copied()).unwrap_or("a panic");
        let path = panic.location().map_or("", |place| place.file());
        let file = path.rsplit('/').next().unwrap_or(path);
        let line = panic.location().map_or(0, |place| place.line());
        let text = format!("{file}:{line}: {text}").replace('\0', " ");
        unsafe { failed(std::ffi::CString::new(text).unwrap_or_default().as_ptr()) }
    }));
}

#[allow(dead_code)]
unsafe fn slice<'a, T>(x: *const T, count: usize) -> &'a [T] {
    unsafe { std::slice::from_raw_parts(x, count) }
}

#[allow(dead_code)]
unsafe fn slice_mut<'a, T>(x: *mut T, count: usize) -> &'a mut [T] {
    unsafe { std::slice::from_raw_parts_mut(x, count) }
}
