//! A checker of JSON against its schema: other programs are written to the files in
//! `records/schemas`.

use serde_json::{Value, json};

/// The part of JSON Schema that the kit's schemas use. An unknown keyword fails, so that
/// none is ignored.
pub(crate) fn faults(schema: &Value, root: &Value, value: &Value, at: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (keyword, wanted) in schema.as_object().unwrap() {
        let holds = match keyword.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" => true,
            "const" => value == wanted,
            "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= wanted.as_u64().unwrap()),
            "enum" => wanted.as_array().unwrap().contains(value),
            "type" => match wanted.as_array() {
                Some(kinds) => kinds.iter().any(|kind| is(value, kind.as_str().unwrap())),
                None => is(value, wanted.as_str().unwrap()),
            },
            "minLength" => value.as_str().is_none_or(|text| text.len() as u64 >= wanted.as_u64().unwrap()),
            "required" => {
                wanted.as_array().unwrap().iter().all(|key| value.get(key.as_str().unwrap()).is_some())
            }
            "anyOf" => wanted.as_array().unwrap().iter().any(|one| faults(one, root, value, at).is_empty()),
            "additionalProperties" => {
                let known = |key: &String| schema["properties"].get(key).is_some();
                wanted == true || value.as_object().is_none_or(|object| object.keys().all(known))
            }
            "properties" => {
                for (key, part) in wanted.as_object().unwrap() {
                    if let Some(inner) = value.get(key) {
                        found.extend(faults(part, root, inner, &format!("{at}/{key}")));
                    }
                }
                true
            }
            "items" => {
                for (index, inner) in value.as_array().into_iter().flatten().enumerate() {
                    found.extend(faults(wanted, root, inner, &format!("{at}/{index}")));
                }
                true
            }
            "$ref" => {
                let part = root.pointer(wanted.as_str().unwrap().trim_start_matches('#')).unwrap();
                found.extend(faults(part, root, value, at));
                true
            }
            unknown => panic!("the test does not know {unknown}"),
        };
        if !holds {
            found.push(format!("{at}: {keyword} {wanted}"));
        }
    }
    found
}

fn is(value: &Value, kind: &str) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("{other} is no type"),
    }
}

/// One wrong value for each keyword: a checker that accepts everything would hold any record right.
#[test]
fn values_that_break_a_schema_are_found() {
    let schema = json!({
        "type": "object", "required": ["rows"], "additionalProperties": false,
        "properties": {
            "schema": { "const": "x/1" },
            "rows": { "type": "array", "minItems": 1, "items": { "$ref": "#/$defs/row" } },
            "source": { "enum": ["model", "timing"] },
            "name": { "type": ["string", "null"], "minLength": 1 },
        },
        "$defs": { "row": { "anyOf": [{ "type": "integer" }, { "type": "boolean" }] } },
    });
    let right = json!({ "schema": "x/1", "rows": [1, true], "source": "model", "name": null });
    assert!(faults(&schema, &schema, &right, "").is_empty());
    for (key, wrong) in [
        ("schema", json!("x/2")),
        ("rows", json!([])),
        ("rows", json!([1.5])),
        ("rows", json!({})),
        ("source", json!("guess")),
        ("name", json!("")),
        ("name", json!(1)),
        ("more", json!(1)),
    ] {
        let mut value = right.clone();
        value[key] = wrong;
        assert_eq!(faults(&schema, &schema, &value, "").len(), 1, "{value}");
    }
    assert!(
        !faults(&schema, &schema, &json!({}), "").is_empty()
            && !faults(&schema, &schema, &json!([]), "").is_empty()
    );
}
