//! The kit's version.

/// The kit's version, with the commit of its sources if that is known: `0.1.0+bedc93e1ab`.
pub const VERSION: &str = env!("CACHE_LAB_VERSION");

#[cfg(test)]
mod tests {
    use super::VERSION;

    #[test]
    fn the_version_is_the_packages_with_a_commit_or_without() {
        let behind = VERSION.strip_prefix(env!("CARGO_PKG_VERSION")).unwrap();
        let commit = behind.strip_prefix('+');
        assert!(behind.is_empty() || commit.is_some_and(|commit| !commit.is_empty()), "{VERSION}");
        assert!(behind.chars().all(|c| c.is_ascii_alphanumeric() || "+-".contains(c)), "{VERSION}");
    }
}
