//! Names close to a misspelt one.

use figures::text::edit_distance;

use super::{Preset, kernel};

/// At most three known names that `text` may have meant, the closest first.
pub(super) fn close_to(text: &str) -> Vec<String> {
    let wanted = text.to_uppercase();
    if wanted.len() < 3 || wanted.len() > 60 {
        return Vec::new();
    }
    let most = 1 + wanted.len() / 6;
    let distance = |name: &str| {
        let reachable = name.chars().count().abs_diff(wanted.chars().count()) <= most;
        reachable.then(|| edit_distance(&wanted, name)).filter(|far| *far <= most)
    };
    let presets = Preset::all().map(|p| p.name().to_owned());
    let mut near: Vec<(usize, String)> = presets
        .chain(kernel::names())
        .filter_map(|name| {
            let upper = name.to_uppercase();
            let tail = upper.strip_prefix("PAPI_").unwrap_or(&upper);
            [&*upper, tail].into_iter().filter_map(distance).min().map(|far| (far, name))
        })
        .collect();
    near.sort();
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonsense_suggests_nothing() {
        assert!(close_to("completely different").is_empty());
        assert!(close_to("x").is_empty());
    }
}
