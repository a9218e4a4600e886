//! The page can measure a sealed machine, and do nothing else with it.

use serde_json::{Value, json};
use tab::{Clock, Lab};

extern "C" fn now() -> f64 {
    0.0
}

extern "C" fn progress(_: u32) {}

extern "C" fn point(_: f64, _: f64) {}

const DESCRIPTION: &str = "name = \"ada\"\n[memory]\nlatency = \"90 ns\"\n[[cache]]\nlevel = 1\nsize = \"24K\"\nline = 64\nways = 6\n\
                           index = \"virtual\"\nlatency = \"1.5 ns\"\n";

fn ask(request: &Value) -> Value {
    serde_json::from_str(&Lab::new(Clock { now, progress, point }).answer(&request.to_string())).unwrap()
}

#[test]
fn a_sealed_machine_is_measured_and_not_revealed() {
    let sealed = machine::seal("ada", DESCRIPTION);
    let kernel = json!({ "name": "mm1", "n": 8 });
    for (toml, open) in [(DESCRIPTION, true), (&*sealed, false)] {
        let sweep = ask(
            &json!({ "do": "sweep", "toml": toml, "show": { "misses": { "level": 1 } }, "min": 8192, "max": 65536, "measured": null }),
        );
        assert!(sweep["ok"]["svg"].as_str().is_some_and(|svg| svg.starts_with("<svg")), "{sweep}");
        assert_eq!(sweep["ok"]["answer"]["verdict"] == "ok", open, "{}", sweep["ok"]["answer"]);
        for request in [
            json!({ "do": "walk", "toml": toml, "kernel": kernel }),
            json!({ "do": "misses", "toml": toml, "kernel": kernel }),
        ] {
            let answer = ask(&request);
            let told = answer["error"].as_str().unwrap_or_default();
            assert_eq!(told.is_empty(), open, "{request}: {told}");
            assert!(open || told.contains("sealed"), "{request}: {told}");
        }
        let fields = ask(&json!({ "do": "machine", "toml": toml })).to_string();
        assert_eq!(fields.contains("24 KiB"), open, "{fields}");
    }
}
