//! Requests of the page and their answers, both JSON. An answer is
//! `{"ok": ...}`, or `{"error": "a sentence"}` with `"place": [3, "a clause"]`
//! if a machine's description is wrong there.

use figures::quantity::Kind;
use figures::units::Bytes;
use geometry::Runs;
use machine::{Machine, catalogue};
use records::authentic::bears_seal;
use records::saved::Saved;
use report::{Answer, Meaning, Typed};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::explore;
use crate::kernels::Kernel;
use crate::steps::Steps;
use crate::sweep::{self, Picture, Refusal, Sweep, machine, open};
use crate::tab::{Clock, Tab};

/// The page's requests.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
enum Request {
    /// Names, descriptions and texts of the catalogue's machines.
    Catalogue,
    /// The fields of the machine described by `toml`, sealed or not.
    Machine { toml: String },
    /// The curves of cm1 or spark on a machine.
    Sweep(Sweep),
    /// Misses per array and level of one program on a machine.
    Misses { toml: String, kernel: Kernel },
    /// Prepares a kernel for [`Request::Step`].
    Walk { toml: String, kernel: Kernel },
    /// Prepares the loops of a text for [`Request::Step`].
    Loops { toml: String, text: String },
    /// The state after step `at` of the last prepared kernel, or half a step later.
    Step {
        at: usize,
        #[serde(default)]
        half: bool,
    },
    /// What an access to `address` would do after step `at`.
    Probe { at: usize, address: u64 },
    /// What a typed value means, by the rule of the report and of the grader.
    Reading { kind: Kind, typed: Typed },
    /// What the kit reads from a saved sweep, and a chart of its times for arrays of `sizes`.
    Read {
        text: String,
        sizes: Vec<u64>,
        #[serde(default)]
        picture: Picture,
    },
    /// A chart of a curve by working set: (bytes, nanoseconds), and what is known about each level.
    Curve {
        points: Vec<(f64, f64)>,
        found: Vec<sweep::Place>,
        caption: String,
        #[serde(default)]
        picture: Picture,
    },
    /// One more experiment on the caches of this computer, at most `levels` of them.
    Explore { megabytes: usize, levels: usize },
    /// The times of the cells with these numbers of a sweep on this computer, for part of a second, and the
    /// beginning of its record.
    Times { sizes: Vec<Bytes>, cells: Vec<usize> },
}

/// The state behind one page or worker.
#[derive(Debug)]
pub struct Lab {
    clock: Clock,
    tab: Option<Tab>,
    steps: Option<Steps>,
    runs: Runs,
}

impl Lab {
    /// A lab with this clock.
    pub fn new(clock: Clock) -> Lab {
        Lab { clock, tab: None, steps: None, runs: Runs::default() }
    }

    /// The answer to a request, both as JSON.
    pub fn answer(&mut self, request: &str) -> String {
        let answered = match serde_json::from_str(request) {
            Ok(request) => self.serve(request),
            Err(why) => Err(format!("the page asked for something that the lab does not know: {why}").into()),
        };
        answered.map_or_else(|refusal| json!(refusal), |ok| json!({ "ok": ok })).to_string()
    }

    fn serve(&mut self, request: Request) -> Result<Value, Refusal> {
        match request {
            Request::Catalogue => Ok(catalogue()
                .iter()
                .map(|entry| {
                    let about =
                        Machine::named(entry.name).map(|machine| machine.description).unwrap_or_default();
                    json!({ "name": entry.name, "description": about, "toml": entry.text })
                })
                .collect()),
            Request::Machine { toml } => described(&toml),
            Request::Sweep(sweep) => sweep.answer(),
            Request::Misses { toml, kernel } => Ok(kernel.misses(&open(&toml)?, self.clock.progress)?),
            Request::Walk { toml, kernel } => Ok(self.shown(Steps::walk(&open(&toml)?, &kernel)?)),
            Request::Loops { toml, text } => Ok(self.shown(Steps::of_loops(&open(&toml)?, &text)?)),
            Request::Step { at, half } => Ok(self.steps()?.state(at, half)?),
            Request::Probe { at, address } => Ok(self.steps()?.probe(at, address)),
            Request::Reading { kind, typed } => Ok(meaning(typed, kind)),
            Request::Read { text, sizes, picture } => Ok(read(&text, &sizes, picture)?),
            Request::Curve { points, found, caption, picture } => {
                let spikes = geometry::spikes(&Vec::from_iter(points.iter().map(|point| point.1)));
                let kept = (0..points.len()).filter(|at| !spikes.contains(at)).map(|at| points[at]).collect();
                Ok(sweep::curve(kept, &found, caption, picture)?)
            }
            Request::Explore { megabytes, levels } => {
                let mut runs = std::mem::take(&mut self.runs);
                // what is known stays known if this experiment fails
                let found = self.tab(megabytes << 20).and_then(|tab| explore::again(&mut runs, tab, levels));
                self.runs = runs;
                Ok(found?)
            }
            Request::Times { sizes, cells } => {
                let largest = sizes.iter().max().map_or(0, |size| size.get());
                Ok(sweep::time(self.tab(largest.max(1 << 20))?, &sizes, &cells)?)
            }
        }
    }

    fn steps(&self) -> Result<&Steps, String> {
        self.steps.as_ref().ok_or_else(|| "no program is chosen yet: choose one first".to_owned())
    }

    /// Keeps `steps` for [`Request::Step`].
    fn shown(&mut self, steps: Steps) -> Value {
        self.steps.insert(steps).summary()
    }

    /// Memory of at least `bytes` bytes for measurements; reused for later requests, so
    /// that its pages stay the same.
    fn tab(&mut self, bytes: usize) -> Result<&mut Tab, String> {
        let tab = match self.tab.take().filter(|tab| tab.bytes() >= bytes) {
            Some(tab) => tab,
            None => Tab::new(bytes, self.clock)?,
        };
        Ok(self.tab.insert(tab.ready()?))
    }
}

fn described(toml: &str) -> Result<Value, Refusal> {
    let machine = machine(toml)?;
    if machine.sealed() {
        return Ok(json!({ "name": machine.name, "sealed": true, "summary": machine.summary() }));
    }
    let mut fields = json!(machine);
    fields["summary"] = machine.summary().into();
    Ok(fields)
}

fn meaning(typed: Typed, kind: Kind) -> Value {
    match Answer::Value(typed).read(kind) {
        Meaning::Nothing | Meaning::FullyAssociative | Meaning::NotVisible => json!({}),
        Meaning::Value(value) => json!({ "value": value }),
        Meaning::Range { low, below } => json!({ "low": low, "below": below }),
        Meaning::ToBeRead(doubt) => json!({ "doubt": doubt.sentence() }),
    }
}

/// What the kit reads from a saved sweep, and its chart; a sealed machine's curves are shown
/// without a reading.
fn read(text: &str, sizes: &[u64], picture: Picture) -> Result<Value, String> {
    let saved = Saved::parse(text).map_err(|error| error.to_string())?;
    let answer = (!bears_seal(text)).then(|| geometry::read(&saved).json());
    let svg = picture.svg(sweep::timed(&saved, sizes))?;
    Ok(json!({ "answer": answer, "svg": svg, "disturbed": sweep::disturbed(&saved) }))
}
