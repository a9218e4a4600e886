//! The shapes of the functions that C programs call.

/// Functions of the interface. Their bodies give nothing or a number, or one of PAPI's codes as error.
macro_rules! early {
    ($($name:ident($($argument:ident: $type:ty),*) $body:expr;)*) => {$(
        /// As PAPI documents it.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($argument: $type),*) -> std::ffi::c_int {
            fn inner($($argument: $type),*) -> crate::code::Coded<impl crate::code::Number> {
                $body
            }
            crate::code::number(inner($($argument),*))
        }
    )*};
}

/// Functions that are called after `PAPI_library_init`.
macro_rules! functions {
    ($($name:ident($($argument:ident: $type:ty),*) $body:expr;)*) => {
        early! {$( $name($($argument: $type),*) { crate::library::inited()?; $body }; )*}
    };
}

/// A function that gives the address of a symbol that a program may lack; 0 then.
macro_rules! address_of_weak {
    ($name:ident, $symbol:literal) => {
        std::arch::global_asm!(
            concat!(".weak ", $symbol),
            ".pushsection .data.rel.ro,\"aw\"",
            ".balign 8",
            concat!("lab_address_of_", $symbol, ": .quad ", $symbol),
            ".popsection",
            concat!(".globl lab_address_of_", $symbol),
            concat!(".hidden lab_address_of_", $symbol),
        );

        fn $name() -> usize {
            unsafe extern "C" {
                #[link_name = concat!("lab_address_of_", $symbol)]
                static ADDRESS: usize;
            }
            // SAFETY: it is defined above, and the linker alone writes to it.
            unsafe { (&raw const ADDRESS).read_volatile() }
        }
    };
}

/// A function that is `$target` with its return address as argument number `$place`, from 0; the
/// wrappers of the C library's are in a section of their own.
macro_rules! stub {
    ($name:ident, $target:path, $place:tt) => {
        stub! { $name as stringify!($name), ".text", $target, $place }
    };
    ($name:ident as $symbol:expr, $section:literal, $target:path, $place:tt) => {
        #[doc = concat!("See ", stringify!($target), ".")]
        #[unsafe(export_name = $symbol)]
        #[unsafe(link_section = $section)]
        #[unsafe(naked)]
        pub extern "C" fn $name() {
            caller_as!($place, $target)
        }
    };
}

macro_rules! caller_as {
    (1, $target:path) => { std::arch::naked_asm!("mov rsi, [rsp]", "jmp {}", sym $target) };
    (2, $target:path) => { std::arch::naked_asm!("mov rdx, [rsp]", "jmp {}", sym $target) };
    (3, $target:path) => { std::arch::naked_asm!("mov rcx, [rsp]", "jmp {}", sym $target) };
}
