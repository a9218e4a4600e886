//! The archive of a kit contains the files in a list, and no others.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::kit::stderr;

fn sh(folder: &Path, line: &str) -> Output {
    Command::new("sh").current_dir(folder).args(["-euc", line]).output().unwrap()
}

fn done(folder: &Path, line: &str) -> String {
    let output = sh(folder, line);
    assert!(output.status.success(), "{line}: {}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// A copy of the sources, as a repository or as an unpacked kit.
fn sources(repository: bool) -> (TempDir, PathBuf) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("sources");
    fs::create_dir(&copy).unwrap();
    let files = "if [ -f MANIFEST ]; then sed 's/^[0-9a-f]* [ *]//' MANIFEST; else git ls-files; fi";
    done(root, &format!("{{ {files}; }} | tar cf - -T - | tar xf - -C '{}'", copy.display()));
    done(
        &copy,
        if repository {
            "git init -q; git add -A; git -c user.name=a -c user.email=a@b commit -qm all"
        } else {
            "rm -f MANIFEST; echo 1234567890 > COMMIT; find . ! -type d | sed 's|^./||' | xargs sha256sum > ../list; mv ../list MANIFEST"
        },
    );
    (folder, copy)
}

/// Packs a student's kit of the `sources`; returns its path, or why there is none.
fn pack(sources: &Path, options: &str) -> Result<PathBuf, String> {
    let kit = sources.with_file_name("kit.tar.gz");
    let _ = fs::remove_file(&kit);
    let packed = sh(sources, &format!("scripts/make_kit.sh --student --no-vendor {options} ../kit.tar.gz"));
    assert_eq!(packed.status.success(), kit.exists());
    if packed.status.success() { Ok(kit) } else { Err(stderr(&packed)) }
}

/// Possible paths of a class's files. What is in them does not matter.
const SECRETS: [&str; 5] = [
    "machines-key.json",
    "common/events/src/class.csv",
    "grades/a name with blanks.csv",
    ".words",
    "lab/line\nfeed.rs",
];

#[test]
fn nothing_is_packed_while_a_class_is_in_the_sources() {
    for repository in [false, true] {
        let (_folder, sources) = sources(repository);
        let refused = |name: &str| {
            let refusal = pack(&sources, "").unwrap_err();
            assert!(refusal.contains(name) && refusal.contains("move them away"), "{name}: {refusal}");
        };
        for path in SECRETS {
            let place = sources.join(path);
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            fs::write(&place, "spring of twenty-six").unwrap();
            refused(path.lines().next().unwrap());
            if repository {
                let git = Command::new("git").current_dir(&sources).args(["add", "-f", path]).status();
                assert!(git.unwrap().success(), "{path}");
                refused(path.lines().next().unwrap());
            }
            fs::remove_file(&place).unwrap();
        }
        // files with a source's name: a key in the place of a table, links to other files and folders
        let (table, page) =
            (sources.join("common/report/src/figure1.csv"), sources.join("docs/background.md"));
        let was = [&table, &page].map(|path| fs::read(path).unwrap());
        fs::write(&table, "name,file,seal,l1_size_bytes\n").unwrap();
        refused("figure1.csv");
        fs::write(&table, &was[0]).unwrap();
        fs::write(sources.with_file_name("secret.txt"), "spring").unwrap();
        for (link, to) in [
            ("docs/background.md", "../../secret.txt"),
            ("mm1/src/more.rs", "../../secret.txt"),
            ("elsewhere", ".."),
        ] {
            let _ = fs::remove_file(sources.join(link));
            symlink(to, sources.join(link)).unwrap();
            refused(link);
            fs::remove_file(sources.join(link)).unwrap();
        }
        fs::write(&page, &was[1]).unwrap();
        pack(&sources, "").unwrap();
        if !repository {
            done(&sources, "sha256sum --check --quiet MANIFEST; echo changed > README.md");
            pack(&sources, "").unwrap();
            assert!(done(&sources, "tar tzf ../kit.tar.gz | head -1").contains("-changed-student"));
            fs::remove_file(sources.join("MANIFEST")).unwrap();
            assert!(pack(&sources, "").unwrap_err().contains("neither a git repository nor an unpacked kit"));
        }
    }
}

#[test]
fn a_students_kit_has_what_a_student_needs_and_no_solutions() {
    let (folder, sources) = sources(true);
    // the output of programs is left out without a message
    for path in ["target/debug/lab", "report/answers.json", "cm1.out", "old.tar.gz"] {
        fs::create_dir_all(sources.join(path).parent().unwrap()).unwrap();
        fs::write(sources.join(path), "").unwrap();
    }
    let kit = pack(&sources, "--without ge4,ge7").unwrap();
    done(folder.path(), "tar xzf kit.tar.gz; mv cache-lab-*-student kit");
    let list = done(folder.path(), "cd kit; find . -type f | sed 's|^./||'");
    let listed = |name: &str| list.lines().any(|line| line.contains(name));
    let needed = "Cargo.lock cm1/src/main.rs ge/src/rungs/ge4.rs lab/src/main.rs docs/background.md COMMIT";
    let left_out = "extras grade _tally lab.html make_kit kit_files scripts/ge commands/discover lab/tests exercises/tests target/ \
                    report/answers .out. old.tar CHANGELOG MANIFEST";
    for (names, is_there) in [(needed, true), (left_out, false)] {
        names.split_whitespace().for_each(|name| assert_eq!(listed(name), is_there, "{name}"));
    }
    // the loops of ge4 and ge7, in a file of any name
    let rungs = folder.path().join("kit/ge/src/rungs");
    for rung in fs::read_dir(&rungs).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file())
    {
        let text = fs::read_to_string(&rung).unwrap();
        let repeats =
            ["multiplier, 7)", "j + 16 <= n", "j + 32 <= n", "0..8 {"].iter().any(|part| text.contains(part));
        assert!(!repeats, "{}", rung.display());
    }
    let written = fs::read_to_string(rungs.join("ge6.rs")).unwrap();
    assert_eq!(written, fs::read_to_string(sources.join("ge/src/rungs/ge6.rs")).unwrap());
    // each page names only existing files, and the version is the sources'
    let pages = done(folder.path(), "cat $(find kit -name '*.md')");
    for command in ["course grade", "course mystery", "discover infer", "extras", "CONTRIBUTING"] {
        assert!(!pages.contains(command), "{command}");
    }
    let commit = done(&sources, "git rev-parse --short=10 HEAD");
    assert_eq!(fs::read_to_string(folder.path().join("kit/COMMIT")).unwrap(), commit);
    assert!(kit.exists() && pack(&sources, "--page README.md").unwrap_err().contains("student's kit"));
}

#[test]
fn libraries_are_packed_by_their_checksums_and_the_configuration_is_written_anew() {
    let (folder, sources) = sources(false);
    let write = |place: &str, text: &str| {
        fs::create_dir_all(sources.join(place).parent().unwrap()).unwrap();
        fs::write(sources.join(place), text).unwrap();
    };
    done(&sources, "cargo vendor --locked --offline --versioned-dirs vendor >/dev/null 2>&1");
    let folder_of = done(&sources, "ls -d vendor/itoa-*").trim().to_owned();
    let library = &format!("{folder_of}/src/lib.rs");
    write(".cargo/config.toml", "[env]\nLAB_SECRET = \"spring of twenty-six\"\n");
    let pack = || sh(&sources, "scripts/make_kit.sh --student ../kit.tar.gz");
    let packed = pack();
    assert!(packed.status.success(), "{}", stderr(&packed));
    let kit =
        done(folder.path(), "tar xzOf kit.tar.gz --wildcards '*/.cargo/config.toml'; tar tzf kit.tar.gz");
    assert!(kit.contains("vendored-sources") && !kit.contains("LAB_SECRET"), "{kit}");
    assert!(kit.contains(&format!("/{library}\n")) && kit.contains("/.cargo-checksum.json\n"), "{kit}");
    for stray in
        [&*format!("{folder_of}/secret.txt"), "vendor/notes.md", ".cargo/credentials.toml", ".cargo/env"]
    {
        write(stray, "spring of twenty-six");
        let refused = pack();
        let why = stderr(&refused);
        assert!(!refused.status.success() && why.contains(&format!("'{stray}'")), "{stray}: {why}");
        fs::remove_file(sources.join(stray)).unwrap();
    }
    write(library, "// spring of twenty-six\n");
    assert!(stderr(&pack()).contains(&**library));
}
