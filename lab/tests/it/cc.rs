//! C and C++ programs on the model.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use common::cache::Modelled;
use common::machine::Machine;
use common::memory::Arena;
use common::record::{Record, Row};
use tempfile::TempDir;

pub(crate) const LAB: &str = env!("CARGO_BIN_EXE_lab");

const MACHINE: &str = "i5-7500";

/// Builds the library that `lab cc` links.
pub(crate) fn library() {
    static BUILT: OnceLock<()> = OnceLock::new();
    BUILT.get_or_init(|| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--offline", "--package", "papi"]);
        cargo.args(
            Path::new(LAB).parent().is_some_and(|folder| folder.ends_with("release")).then_some("--release"),
        );
        assert!(cargo.status().unwrap().success(), "the library is not built");
    });
}

/// A folder with the programs; `None`, and a line in the list of skipped tests, without a compiler.
pub(crate) fn folder() -> Option<TempDir> {
    if !Command::new("c++").arg("--version").output().is_ok_and(|ran| ran.status.success()) {
        skip::skip("there is no c++: apt install g++");
        return None;
    }
    library();
    let folder = tempfile::tempdir().unwrap();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/c");
    for file in std::fs::read_dir(sources).unwrap().flatten() {
        std::fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
    }
    Some(folder)
}

/// What a command in the folder came to: its status, its output, its errors.
fn ended(folder: &TempDir, command: &mut Command) -> (Option<i32>, String, String) {
    let ran = command.current_dir(folder.path()).stdin(Stdio::null()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (ran.status.code(), text(ran.stdout), text(ran.stderr))
}

fn lab(folder: &TempDir, words: &str) -> (Option<i32>, String, String) {
    ended(folder, Command::new(LAB).args(words.split_whitespace()))
}

/// Runs a program that was built in the folder.
fn run(folder: &TempDir, words: &str, variables: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("exec ./{words}")]).env("LAB_MACHINE", MACHINE);
    ended(folder, command.envs(variables.iter().copied()))
}

fn built(folder: &TempDir, words: &str) {
    let (status, _, err) = lab(folder, words);
    assert_eq!(status, Some(0), "{words}: {err}");
}

fn numbers(text: &str) -> Vec<f64> {
    text.split_whitespace().map(|word| word.parse().unwrap()).collect()
}

fn record(folder: &TempDir, name: &str) -> Record {
    serde_json::from_slice(&std::fs::read(folder.path().join(name)).unwrap()).unwrap()
}

/// A machine that reads no page table: the program in C has used its pages before the loop, the one in
/// Rust has not.
const PLAIN: &str = "name = \"plain\"\n[[cache]]\nlevel = 1\nsize = \"32K\"\nline = 64\nways = 8\n\
                     [[cache]]\nlevel = 2\nsize = \"256K\"\nline = 64\nways = 4\n";

/// The model's counts of the same loop in Rust: misses of both levels, loads, stores.
fn in_rust(size: usize) -> [u64; 4] {
    let arena = Arena::with_capacity(6 * size * size + (1 << 16)).unwrap();
    let [mul1, mul2, res] =
        ["mul1", "mul2", "res"].map(|name| arena.matrix::<i16>(name, size, size).unwrap());
    let machine = Machine::from_toml(PLAIN, "plain").unwrap();
    let mut mem = Modelled::new(&machine, &arena).unwrap();
    mm1::multiply(&mut mem, mul1, mul2, res);
    let counts = mem.counts();
    let misses = |level| counts.level(level).unwrap().misses.total();
    [misses(1), misses(2), counts.loads, counts.stores]
}

#[test]
fn a_product_in_c_counts_what_the_kernel_in_rust_counts() {
    let Some(folder) = folder() else { return };
    std::fs::write(folder.path().join("plain.toml"), PLAIN).unwrap();
    for size in [64, 128, 256] {
        // Without this gcc keeps an element of the result in a register.
        built(&folder, &format!("cc -O1 -fno-tree-loop-im -DN={size} mm1.c -o mm1 -lpapi"));
        let (status, out, err) = run(&folder, "mm1", &[("LAB_REPORT", "off"), ("LAB_MACHINE", "plain.toml")]);
        assert_eq!((status, err.as_str()), (Some(0), ""));
        let (counted, kernel) = (numbers(&out), in_rust(size));
        // The calls at both ends use the stack.
        let is_right = |(own, kernel): (&f64, u64)| (0.0..=4.0).contains(&(own - kernel as f64));
        assert!(counted.iter().zip(kernel).all(is_right), "{size}: {counted:?} {kernel:?}");
    }
}

#[test]
fn counts_are_the_same_in_each_run_and_their_parts_add_up() {
    let Some(folder) = folder() else { return };
    built(&folder, "cc -O0 -c mm1.c -o mm1.o");
    built(&folder, "cc mm1.o -o mm1 /usr/lib/libpapi.so");
    built(&folder, "cc -O0 -pie -fPIE mm1.c -o pie");
    let record = |program: &str, environment: &str| {
        let variables = [("LAB_RECORD", "record.json"), ("LAB_REPORT", "off"), ("MORE", environment)];
        assert_eq!(run(&folder, program, &variables).0, Some(0));
        record(&folder, "record.json")
    };
    let first = record("mm1", "");
    assert_eq!(first.rows, record("mm1", &"x".repeat(5000)).rows);
    let part = |record: &Record, part: &str| -> Vec<Row> {
        record.rows.iter().filter(|row| row.text("part") == part).cloned().collect()
    };
    for record in [&first, &record("pie", "")] {
        let total = part(record, "total").remove(0);
        // Without page walks: other pages are in other lines of the page table.
        let of_data = |row: &Row| row.amount("l1_misses").unwrap() - row.amount("page_walk_misses").unwrap();
        assert_eq!(of_data(&total), of_data(&part(&first, "total")[0]));
        for (kind, figures) in [
            ("array", &["l1_misses", "l2_misses", "l3_misses"][..]),
            ("line", &["instructions", "loads", "stores", "l1_misses", "l2_misses", "l3_misses"]),
            ("thread", &["loads", "stores", "l1_misses"]),
        ] {
            for figure in figures {
                let sum: f64 = part(record, kind).iter().map(|row| row.amount(figure).unwrap()).sum();
                assert_eq!(Some(sum), total.amount(figure), "{kind} {figure}");
            }
        }
        let kinds = ["compulsory_misses", "capacity_misses", "conflict_misses", "page_walk_misses"];
        let sum: f64 = kinds.iter().map(|kind| total.amount(kind).unwrap()).sum();
        assert_eq!(Some(sum), total.amount("l1_misses"));
        let (array, line) = (&part(record, "array")[0], &part(record, "line")[0]);
        assert_eq!((array.text("array"), line.text("line")), ("other", "mm1.c:32"));
        let region = &part(record, "region")[0];
        assert_eq!(region.text("region"), "mm1.c:37 to mm1.c:42");
        assert!(region.amount("stores") > Some(64.0 * 64.0 * 64.0));
    }
}

#[test]
fn each_thread_counts_its_own_accesses() {
    let Some(folder) = folder() else { return };
    built(&folder, "cc -O1 threads.c -o threads -pthread -lpapi");
    let (status, out, err) = run(&folder, "threads", &[]);
    // 64 KiB do not fit 32 KiB: each pass misses on each line.
    // The call of PAPI_stop stores its return address.
    assert_eq!((status, out.as_str()), (Some(0), "1025 1025\n2049 2049\n3073 3073\n"), "{err}");
    assert!(err.contains("threads.c:21, thread 3") && err.contains("for thread 0 alone"), "{err}");
    // What the last thread did waits to be counted, and the thread does not end.
    let row = err.lines().find(|line| line.trim_start().starts_with("parked"));
    assert!(row.is_some_and(|row| row.contains("1,024")), "{err}");
}

#[test]
fn many_short_threads_leave_no_memory_behind() {
    let Some(folder) = folder() else { return };
    built(&folder, "cc -O1 brief.c -o brief -pthread");
    let (status, out, err) = run(&folder, "brief", &[("LAB_REPORT", "off")]);
    let kib: u64 = out.trim().parse().unwrap();
    assert!(status == Some(0) && kib < 100 << 10, "{kib} KiB: {err}");
}

#[test]
fn regions_are_in_the_order_of_their_first_begin() {
    let Some(folder) = folder() else { return };
    let text = "#include <papi.h>\nvolatile int x; int main(void) { PAPI_hl_region_begin(\"outer\"); x++; \
                PAPI_hl_region_begin(\"inner\"); x++; PAPI_hl_region_end(\"inner\"); PAPI_hl_region_end(\"outer\"); }";
    std::fs::write(folder.path().join("nested.c"), text).unwrap();
    built(&folder, "cc -O1 nested.c -o nested -lpapi");
    let (_, _, err) = run(&folder, "nested", &[("PAPI_EVENTS", "PAPI_BR_INS")]);
    assert!(err.contains("PAPI BR INS"), "{err}");
    let [outer, inner] = ["outer", "inner"].map(|name| err.find(name).expect(&err));
    assert!(outer < inner, "{err}");
}

#[test]
fn blocks_are_named_by_their_lines() {
    let Some(folder) = folder() else { return };
    built(&folder, "c++ -O2 blocks.cpp -o blocks -lpapi");
    let (status, out, err) = run(&folder, "blocks", &[("LAB_ROWS", "99")]);
    assert_eq!((status, out.as_str()), (Some(0), "65536\n"), "{err}");
    // 512 KiB by new, by a vector and by posix_memalign; 8192 lines each.
    for line in [8, 9, 12] {
        let row = err.lines().find(|row| row.contains(&format!("block of blocks.cpp:{line}")));
        assert!(row.is_some_and(|row| row.contains("8,19")), "{line}: {err}");
    }
    // A program without a use of the C++ library, as the guide's spark.c.
    built(&folder, "c++ -Wl,--as-needed walk.c -o walk");
    // What the linker drops, it drops with its descriptors.
    let text = "extern int absent[]; int unused(int at) { return absent[at]; } int main(void) { return 0; }";
    std::fs::write(folder.path().join("drops.c"), text).unwrap();
    built(&folder, "cc -O1 -no-pie -ffunction-sections -Wl,--gc-sections drops.c -o drops");
}

#[test]
fn a_program_that_ends_early_reports_its_counts_until_then() {
    let Some(folder) = folder() else { return };
    built(&folder, "cc -O1 ends.c -o ends -lpapi");
    for (how, status, said) in [
        ("", Some(0), "ends.c:31 to ends.c:75"),
        ("exit", Some(4), "ends.c:31 to the program's end"),
        ("quick", Some(5), "ends.c:31 to the program's end"),
        ("twice", None, "signal 15"),
        ("late", None, "ended the program at ends.c:50"),
        ("crash", None, "signal 11 (Segmentation fault) ended the program at ends.c:14"),
        ("crashes", None, "signal 11 (Segmentation fault) ended the program at ends.c:14"),
        ("abort", None, "ended the program at ends.c:60"),
        ("fork", Some(0), "whose accesses are not counted"),
        ("menu", Some(0), "ends.c:33"),
        ("high", Some(6), "ends.c:74 to the program's end"),
    ] {
        let ended = run(&folder, &format!("ends {how}"), &[]);
        assert_eq!(ended.0, status, "{how}: {}", ended.2);
        // What PAPI_stop gives: 4096 stores of the loop, and a few on the stack.
        let stores = ended.1.trim().parse::<u32>().ok();
        assert_eq!(stores.map(|stores| (4096..4120).contains(&stores)), (status == Some(0)).then_some(true));
        assert!(ended.2.contains(said) && ended.2.contains("stores 4,"), "{how}: {}", ended.2);
    }
}

#[test]
fn events_are_counted_or_named() {
    let Some(folder) = folder() else { return };
    built(&folder, "cc -O1 -ffp-contract=off events.c -o events");
    let (status, out, err) = run(&folder, "events", &[]);
    // 1000 multiplications and 1000 additions of doubles, and of floats; conditional branches.
    let counted = numbers(&out);
    assert_eq!(status, Some(0), "{err}");
    assert_eq!(counted[..5], [4000.0, 4000.0, 2000.0, 2000.0, 0.0], "{out}");
    let [instructions, branches, conditional, loads, stores, both, cycles] = counted[5..12] else {
        panic!("{out}")
    };
    assert!((3000.0..3010.0).contains(&conditional) && branches > conditional, "{out}");
    assert!(instructions > 10_000.0 && cycles > instructions && both == loads + stores, "{out}");
    assert!(
        counted[12] == -1.0 && err.contains("PAPI_L1_ICM was not counted, its value is -1"),
        "{out} {err}"
    );
    let (status, out, err) = run(&folder, "events", &[("LAB_MISSING", "refuse")]);
    assert_eq!((status, out.as_str()), (Some(3), "-7\n"), "{err}");
}

/// A program that writes behind its block or its array, or frees a wrong block, ends as it does without
/// counting.
#[test]
fn the_program_s_memory_is_its_own() {
    let Some(folder) = folder() else { return };
    built(&folder, "cc -O0 heap.c -o heap");
    for (how, signal) in [("behind", 6), ("wrong", 6), ("twice", 6), ("above", 11), ("below", 11)] {
        let (status, _, err) = run(&folder, &format!("heap {how}"), &[]);
        let says = |words: &str| err.contains(words);
        assert!(status.is_none() && says(&format!("signal {signal}")) && says("heap.c:"), "{how}: {err}");
    }
    assert_eq!(run(&folder, "heap", &[]).1, "done\n");
}

#[test]
fn handlers_may_interrupt_a_record() {
    let Some(folder) = folder() else { return };
    built(&folder, "cc -O1 signals.c -o signals -pthread");
    for _ in 0..3 {
        let (status, out, err) = run(&folder, "signals", &[("LAB_RECORD", "s.json"), ("LAB_REPORT", "off")]);
        assert_eq!((status, out.as_str()), (Some(0), "same\n"), "{err}");
        let record = record(&folder, "s.json");
        let line = record.rows.iter().find(|row| row.text("line") == "signals.c:22").unwrap();
        // Four threads, each of 3,000,000 loads and stores, whatever interrupts them.
        assert_eq!([line.amount("loads"), line.amount("stores")], [Some(12e6), Some(12e6)]);
    }
}

#[test]
fn programs_may_ask_for_events_and_the_machine_with_and_without_a_model() {
    let Some(folder) = folder() else { return };
    for how in ["", "--native "] {
        built(&folder, &format!("cc {how}-Wall -Werror asks.c -o asks"));
        let (status, out, err) = run(&folder, "asks", &[("LAB_REPORT", "off")]);
        assert_eq!((status, out.as_str()), (Some(0), ""), "{how}: {err}");
    }
}

#[test]
fn wrong_inputs_are_refused_in_a_sentence() {
    let Some(folder) = folder() else { return };
    built(&folder, "cc -O1 ends.c -o ends");
    for (variable, value, said) in [
        ("LAB_MACHINE", "none.toml", "LAB_MACHINE: cannot read the machine description none.toml"),
        ("LAB_RECORD", "no/folder/r.json", "LAB_RECORD: cannot write"),
        ("LAB_REPORT", "0", "LAB_REPORT=0: the value is off or full"),
        ("LAB_ROWS", "many", "LAB_ROWS=many: the value is a number"),
    ] {
        let (status, out, err) = run(&folder, "ends", &[(variable, value)]);
        assert_eq!((status, out.as_str()), (Some(2), ""));
        assert!(err.contains(said) && err.lines().count() == 1, "{err}");
    }
    let shell = |command: &str| {
        let mut shell = Command::new("sh");
        let (status, _, err) = ended(&folder, shell.args(["-c", command]).env("LAB_MACHINE", MACHINE));
        (status, err)
    };
    let is_there = |name: &str| folder.path().join(name).exists();
    // Neither a full disk under standard error nor under the record loses the other.
    assert!(shell("LAB_RECORD=r.json ./ends 2> /dev/full").0 == Some(0) && is_there("r.json"));
    let (unread, pipe) = std::io::pipe().unwrap();
    drop(unread);
    let mut piped = Command::new(folder.path().join("ends"));
    piped.env("LAB_MACHINE", MACHINE).env("LAB_RECORD", "p.json").current_dir(folder.path());
    assert!(piped.stderr(pipe).status().unwrap().success() && is_there("p.json"));
    let (status, err) = shell("LAB_RECORD=/dev/full ./ends");
    assert!(status == Some(0) && err.contains("stores 4,") && err.contains("No space left"), "{err}");
    let (_, err) = shell(&format!("LAB_CC=./none {LAB} cc -c ends.c"));
    assert!(err.contains("install a compiler"), "{err}");
    for (words, said) in [
        ("cc", "give a file to compile"),
        ("cc --", "give a command after --"),
        ("cc run -O2", "give a file to compile and run"),
    ] {
        let (status, _, err) = lab(&folder, words);
        assert!(status != Some(0) && err.contains(said), "{words}: {err}");
    }
    // Objects of another compiler run are not counted as if they made no accesses.
    let header = Path::new(LAB).with_file_name("lab-cc");
    assert_eq!(shell(&format!("cc -c ends.c -o plain.o -I {}", header.display())).0, Some(0));
    built(&folder, "cc plain.o -o plain");
    let (status, out, err) = run(&folder, "plain", &[]);
    let is_named = err.contains("plain.o was not compiled by lab cc");
    assert!(status == Some(0) && out != "4096\n" && is_named, "{err}");
    assert!(lab(&folder, "cc -flto -O1 ends.c -o lto").2.starts_with("note: -flto is left out"));
    built(&folder, "cc -masm=intel -O1 ends.c -o intel");
    assert!(run(&folder, "intel", &[]).2.contains("Intel's syntax"));
    let (status, err) = shell("mkdir other; cd other; LAB_RECORD=here.json ../ends fork");
    assert!(status == Some(0) && is_there("other/here.json"), "{err}");
}

#[test]
fn make_finds_the_compilers_by_their_names() {
    let Some(folder) = folder() else { return };
    if Command::new("make").arg("--version").output().is_err() {
        return skip::skip("there is no make");
    }
    let makefile = "PAPI=/opt/papi\nCC=gcc\nmm1: mm1.o\n\t$(CC) -o $@ $^ $(PAPI)/lib/libpapi.so -lm\nmm1.o: mm1.c\n\t$(CC) -O2 -I$(PAPI)/include -c $<\n";
    std::fs::write(folder.path().join("Makefile"), makefile).unwrap();
    built(&folder, "cc -- make mm1");
    assert_eq!(run(&folder, "mm1", &[]).0, Some(0));
    assert!(lab(&folder, "cc -- make mm1").2.contains("make clean"));
    let (status, _, err) = lab(&folder, "cc run -O2 ends.c exit");
    assert_eq!(status, Some(4), "{err}");
}
