//! Functions whose samples are distinguished from those of all other code.

use std::ops::Range;

/// Puts a function where [`watched_code`] finds it.
#[macro_export]
macro_rules! watched {
    ($function:item) => {
        #[cfg_attr(target_os = "linux", unsafe(link_section = "watched_code"))]
        $function
    };
}

/// The addresses of all functions marked with [`watched!`](crate::watched);
/// `None` on a system where nothing is sampled.
#[cfg(target_os = "linux")]
pub fn watched_code() -> Option<Range<u64>> {
    // The linker defines these two for every section whose name is a C name.
    unsafe extern "C" {
        static __start_watched_code: u8;
        static __stop_watched_code: u8;
    }
    // A program that marks nothing has the section all the same.
    std::hint::black_box(nothing as fn());
    Some((&raw const __start_watched_code) as u64..(&raw const __stop_watched_code) as u64)
}

/// The addresses of all functions marked with [`watched!`](crate::watched);
/// `None` on a system where nothing is sampled.
#[cfg(not(target_os = "linux"))]
pub fn watched_code() -> Option<Range<u64>> {
    None
}

#[cfg(target_os = "linux")]
watched! {
    #[inline(never)]
    fn nothing() {}
}

#[cfg(test)]
mod tests {
    use super::*;

    watched! {
        #[inline(never)]
        fn marked() -> u8 {
            std::hint::black_box(1)
        }
    }

    fn unmarked() -> u8 {
        2
    }

    #[test]
    fn marked_functions_are_where_they_are_said_to_be() {
        assert_eq!((marked(), unmarked()), (1, 2));
        if let Some(code) = watched_code() {
            assert!(code.contains(&(marked as fn() -> u8 as usize as u64)));
            assert!(!code.contains(&(unmarked as fn() -> u8 as usize as u64)));
        }
    }
}
