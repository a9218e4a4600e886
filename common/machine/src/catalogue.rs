//! The machines that come with the kit.

/// A described machine.
#[derive(Debug, Clone, Copy)]
pub struct CatalogueEntry {
    /// Its name on a command line.
    pub name: &'static str,
    /// Its description, with the source of each figure.
    pub text: &'static str,
}

/// The machines that come with the kit, oldest first.
pub fn catalogue() -> &'static [CatalogueEntry] {
    &CATALOGUE
}

macro_rules! entries {
    ($($name:literal)*) => {
        [$(CatalogueEntry { name: $name, text: include_str!(concat!("../machines/", $name, ".toml")) }),*]
    };
}

static CATALOGUE: [CatalogueEntry; 9] = entries! {
    "sparcstation-1+"
    "lecture"
    "i5-7500"
    "i5-8500"
    "ryzen5-3600x"
    "zen3"
    "golden-cove"
    "zen5"
    "apple-m1"
};
