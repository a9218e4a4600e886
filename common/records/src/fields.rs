//! Named values in the order in which they were set.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value as Json;

/// Values by name, in their order; as JSON an object.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fields(Vec<(String, Json)>);

impl Fields {
    /// The value of that name.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Sets a value; one of that name is replaced.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<Json>) {
        let (name, value) = (name.into(), value.into());
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some(field) => field.1 = value,
            None => self.0.push((name, value)),
        }
    }

    /// Names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Keeps the values of these names only.
    pub fn retain(&mut self, is_wanted: impl Fn(&str) -> bool) {
        self.0.retain(|(name, _)| is_wanted(name));
    }
}

impl<N: Into<String>> FromIterator<(N, Json)> for Fields {
    fn from_iter<I: IntoIterator<Item = (N, Json)>>(all: I) -> Fields {
        let mut fields = Fields::default();
        all.into_iter().for_each(|(name, value)| fields.set(name, value));
        fields
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Fields, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Fields;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Fields::default();
                while let Some((name, value)) = map.next_entry::<String, Json>()? {
                    fields.set(name, value);
                }
                Ok(fields)
            }
        }
        deserializer.deserialize_map(Object)
    }
}
