//! Rewrites the assembly text of compilers for x86-64, so that a program records the addresses of
//! its memory accesses and what it executes.
//!
//! Before each straight run of instructions code is put that appends a record to the thread's
//! buffer: the address of a descriptor, and the values of registers from which the run's addresses
//! follow. It changes neither flags nor registers. The descriptor, in the object's data, has an
//! entry for each access and for each source line's instructions.
//!
//! | step | file |
//! |---|---|
//! | the text as statements | `statements.rs`, `operand.rs` |
//! | what the assembler makes of each of them, decoded | `probe.rs` |
//! | what an instruction reads, writes and counts as | `effects.rs` |
//! | runs of instructions as records | `runs.rs`, `record.rs` |
//! | sections, source lines | `context.rs` |
//! | the code of a record, and its descriptor | `emit.rs` |

#![forbid(unsafe_code)]

mod context;
mod effects;
mod emit;
mod operand;
mod probe;
mod record;
mod runs;
mod statements;

/// Sections whose names begin so have the descriptors of rewritten code.
pub const SITES: &str = ".data.lab_sites";
/// The section of sentences about code that is not counted, each with a 0 after it.
pub const NOTES: &str = "lab_notes";

/// An assembler's text.
#[derive(Debug, Clone, Copy)]
pub struct Source<'t> {
    /// In AT&T's syntax.
    pub text: &'t str,
    /// The name of the file, for code without a source line.
    pub name: &'t str,
    /// The folder to which its file names are relative.
    pub folder: &'t str,
}

/// The text with records. `assemble` gives the object of a text.
///
/// # Errors
///
/// The assembler's; or why this text is not rewritten.
pub fn rewrite(
    source: Source<'_>,
    assemble: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
) -> Result<String, String> {
    let statements = statements::parse(source.text);
    if statements.iter().any(|statement| statement.text.starts_with(".intel_syntax")) {
        return Err("it has assembly in Intel's syntax: leave -masm=intel out, or write AT&T's".to_owned());
    }
    let object = assemble(&probe::text(&statements))?;
    let decoded = probe::decode(&object, statements.len())?;
    Ok(runs::write(source, &statements, &decoded))
}

/// A text that adds `notes` to a program's report.
pub fn notes(notes: &[String]) -> String {
    let mut text = format!("\t.section {NOTES},\"a\",@progbits\n");
    for note in notes {
        text += &format!("\t.string \"{}\"\n", note.replace(['"', '\\', '\n'], "'"));
    }
    text + "\t.section .note.GNU-stack,\"\",@progbits\n"
}
