//! The text of a record's code and of its descriptor.
//!
//! `lab_ptr`, a variable of each thread, is where the next record goes. Buffers begin at multiples
//! of 16 MiB, so that the third byte of an address in it is 0 until 64 KiB are full.

use std::fmt::Write;

use iced_x86::Register;

use crate::SITES;
use crate::context::Places;
use crate::record::{Record, Slot, Sum};

/// Bytes below the stack pointer that a function may use.
const RED_ZONE: i64 = 128;

/// Registers to write a record with, those first that compilers use least for addresses; `rcx` is
/// always one.
const FREE: [Register; 14] = [
    Register::R11,
    Register::R10,
    Register::R9,
    Register::R8,
    Register::RSI,
    Register::RDI,
    Register::RDX,
    Register::RAX,
    Register::RBX,
    Register::R12,
    Register::R13,
    Register::R14,
    Register::R15,
    Register::RBP,
];

fn name(register: Register) -> String {
    format!("%{}", format!("{register:?}").to_lowercase())
}

/// The code of record `number`; returns how far it moves the stack pointer before it reads registers.
pub(crate) fn code(text: &mut String, record: &Record, number: usize) -> i64 {
    let is_used = |register: Register| record.used.meets(crate::effects::Registers::of(register));
    let mut free = FREE.iter().copied().filter(|register| !is_used(*register)).map(name);
    let spare = free.next().unwrap_or_default();
    let end = if is_used(Register::RCX) { free.next().unwrap_or_default() } else { "%rcx".to_owned() };
    let mut pushed = vec![spare.clone(), "%rcx".to_owned()];
    if end != "%rcx" {
        pushed.push(end.clone());
    }
    let mut line = |words: std::fmt::Arguments<'_>| {
        let _ = writeln!(text, "\t{words}");
    };
    line(format_args!("leaq -{RED_ZONE}(%rsp),%rsp"));
    pushed.iter().for_each(|register| line(format_args!("pushq {register}")));
    // In a program the linker makes a constant of it.
    line(format_args!("movq lab_ptr@gottpoff(%rip),{spare}"));
    line(format_args!("movzbl %fs:2({spare}),%ecx"));
    line(format_args!("jrcxz .Llabk{number}"));
    line(format_args!("call *lab_slow@GOTPCREL(%rip)"));
    line(format_args!(".Llabk{number}:"));
    if end != "%rcx" {
        line(format_args!("movq 8(%rsp),%rcx"));
    }
    line(format_args!("movq %fs:({spare}),{end}"));
    line(format_args!("leaq .Llabd{number}(%rip),{spare}"));
    line(format_args!("movq {spare},({end})"));
    for (word, slot) in &record.slots {
        let to = format!("{}({end})", 8 * word);
        match slot {
            Slot::Whole(register) if register.is_k() => {
                line(format_args!("kmovw {},{to}", name(*register)));
            }
            Slot::Whole(register) if register.size() == 64 || register.number() > 15 => {
                line(format_args!("vmovdqu64 {},{to}", name(*register)));
            }
            Slot::Whole(register) => line(format_args!("vmovdqu {},{to}", name(*register))),
            Slot::Sum(Sum { is_thread: false, base, index: Register::None, displacement, .. })
                if displacement.is_empty() && base.is_gpr64() =>
            {
                line(format_args!("movq {},{to}", name(*base)));
            }
            Slot::Sum(Sum { is_thread, base, index, scale, displacement }) => {
                let sum = |first: &str, index: Register| match (first, index) {
                    ("", Register::None) => String::new(),
                    (first, Register::None) => format!("({first})"),
                    (first, index) => format!("({first},{},{scale})", name(index)),
                };
                let mut base = if *base == Register::None { String::new() } else { name(*base) };
                if *is_thread {
                    line(format_args!("movq %fs:0,{spare}"));
                    if !base.is_empty() {
                        line(format_args!("leaq ({spare},{base}),{spare}"));
                    }
                    base.clone_from(&spare);
                }
                line(format_args!("leaq {displacement}{},{spare}", sum(&base, *index)));
                line(format_args!("movq {spare},{to}"));
            }
        }
    }
    line(format_args!("leaq {}({end}),{end}", 8 * u32::from(record.words)));
    line(format_args!("movq lab_ptr@gottpoff(%rip),{spare}"));
    line(format_args!("movq {end},%fs:({spare})"));
    pushed.iter().rev().for_each(|register| line(format_args!("popq {register}")));
    line(format_args!("leaq {RED_ZONE}(%rsp),%rsp"));
    8 * pushed.len() as i64 + RED_ZONE
}

/// The descriptor of record `number`, whose code moves the stack pointer by `pushed` bytes: in a section of
/// the name (`%S`) and in the group (`?`) of the code's, so that the linker drops both or none.
pub(crate) fn descriptor(text: &mut String, record: &Record, number: usize, pushed: i64) {
    let _ = writeln!(text, "\t.pushsection {SITES}%S,\"aw?\",@progbits");
    let _ = writeln!(text, "\t.balign 8\n.Llabd{number}:\n\t.quad 0,.Llabplaces");
    let _ = writeln!(text, "\t.short {},{},{},0", record.words, record.entries.len(), record.counts.len());
    for entry in &record.entries {
        let displacement = if entry.displacement.is_empty() { "0" } else { &entry.displacement };
        let offset = entry.offset + if entry.is_on_stack { pushed } else { 0 };
        let _ = write!(text, "\t.quad {displacement}");
        let _ = if offset == 0 { writeln!(text) } else { writeln!(text, "+{offset}") };
        let kind = entry.access | (entry.form as u8) << 2;
        let _ = writeln!(
            text,
            "\t.long {}\n\t.short {}\n\t.byte {},{kind}",
            entry.place, entry.bytes, entry.word
        );
    }
    for (place, counts) in &record.counts {
        let counts = counts.map(|count| count.to_string()).join(",");
        let _ = writeln!(text, "\t.long {place}\n\t.short {counts},0");
    }
    *text += "\t.popsection\n";
}

/// The table of places, the notes, and the mark of rewritten objects.
pub(crate) fn tables(text: &mut String, places: &Places, notes: &[String]) {
    let _ = writeln!(text, "\t.section {SITES},\"aw\",@progbits");
    let _ = writeln!(text, "\t.section .rodata.lab_places,\"a\",@progbits\n\t.balign 8\n.Llabplaces:");
    let mut names: Vec<&str> = Vec::new();
    for (name, line) in &places.all {
        let at = names.iter().position(|known| known == name).unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        });
        let _ = writeln!(text, "\t.long .Llabf{at}-.Llabplaces,{line}");
    }
    for (at, name) in names.iter().enumerate() {
        let _ = writeln!(text, ".Llabf{at}:\n\t.string \"{}\"", name.replace(['"', '\\'], "?"));
    }
    if notes.is_empty() {
        *text += "\t.section .note.GNU-stack,\"\",@progbits\n";
    } else {
        *text += &crate::notes(notes);
    }
}
