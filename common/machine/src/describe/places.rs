//! Where the values of a description are in its text.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The name of a value with that of its table (`cache.size`), the number of that table among those
/// of its name, and its bytes in the text.
pub(super) type Place = (String, usize, Range<usize>);

/// All values of `text`, which is TOML.
pub(super) fn all(text: &str) -> Vec<Place> {
    let mut places = Vec::new();
    if let Ok(table) = DeTable::parse(text) {
        of_table(table.get_ref(), "", 0, &mut places);
    }
    places
}

fn of_table(table: &DeTable<'_>, prefix: &str, number: usize, places: &mut Vec<Place>) {
    for (key, value) in table {
        of_value(value, format!("{prefix}{}", key.get_ref()), number, places);
    }
}

fn of_value(value: &Spanned<DeValue<'_>>, name: String, number: usize, places: &mut Vec<Place>) {
    match value.get_ref() {
        DeValue::Table(table) => of_table(table, &format!("{name}."), number, places),
        DeValue::Array(values) if !values.is_empty() => {
            values.iter().enumerate().for_each(|(at, value)| of_value(value, name.clone(), at, places));
        }
        _ => places.push((name, number, value.span())),
    }
}
