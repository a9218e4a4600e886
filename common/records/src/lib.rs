//! The programs' results in a form that outlives the run: records of rows of figures, and
//! readers of saved sweeps.

pub mod authentic;
pub mod note;
pub mod product;
pub mod record;
pub mod saved;
pub mod sweep;

/// The kit's version, with the commit of its sources if that is known: `0.1.0+bedc93e1ab`.
pub const VERSION: &str = env!("CACHE_LAB_VERSION");

/// The compiler of the kit, as it names itself: `rustc 1.95.0 (59807616e 2026-04-14)`; empty if
/// it did not say.
pub const COMPILER: &str = env!("CACHE_LAB_RUSTC");
#[cfg(test)]
mod tests {
    use super::VERSION;

    #[test]
    fn the_version_is_the_packages_with_a_commit_or_without() {
        let rest = VERSION.strip_prefix(env!("CARGO_PKG_VERSION")).unwrap();
        let commit = rest.strip_prefix('+');
        assert!(rest.is_empty() || commit.is_some_and(|commit| !commit.is_empty()), "{VERSION}");
        assert!(rest.chars().all(|c| c.is_ascii_alphanumeric() || "+-".contains(c)), "{VERSION}");
    }
}
