//! What the assembler makes of each statement: a label before each instruction gives its place
//! in the object, and what is decoded there is what runs.

use std::collections::HashMap;
use std::fmt::Write;

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic};
use object::{Object, ObjectSection, ObjectSymbol, SectionKind};

use crate::statements::{Kind, Statement};

const LABEL: &str = "lab.probe.";

/// The instruction of a statement, and what follows it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Decoded {
    pub(crate) instruction: Instruction,
    /// Instructions of the padding between it and the next statement, which run as well.
    pub(crate) padding: u32,
}

/// The text with a label before each instruction.
pub(crate) fn text(statements: &[Statement<'_>]) -> String {
    let mut text = String::new();
    for (number, statement) in statements.iter().enumerate() {
        if statement.kind == Kind::Instruction {
            let _ = writeln!(text, "{LABEL}{number}:");
        }
        text += &statement.text;
        text += if statement.kind == Kind::Label { ":\n" } else { "\n" };
    }
    text
}

/// The decoded instructions by the statements' numbers.
pub(crate) fn decode(object: &[u8], statements: usize) -> Result<Vec<Option<Decoded>>, String> {
    let file = object::File::parse(object).map_err(|error| format!("the assembler's object: {error}"))?;
    let mut places: HashMap<usize, Vec<(u64, usize)>> = HashMap::new();
    for symbol in file.symbols() {
        let number = symbol.name().ok().and_then(|name| name.strip_prefix(LABEL)?.parse::<usize>().ok());
        if let (Some(number), Some(section)) = (number.filter(|n| *n < statements), symbol.section_index()) {
            places.entry(section.0).or_default().push((symbol.address(), number));
        }
    }
    let mut all = vec![None; statements];
    for (section, mut places) in places {
        let Ok(section) = file.section_by_index(object::SectionIndex(section)) else { continue };
        let Ok(code) = section.data() else { continue };
        if section.kind() != SectionKind::Text && !section.name().is_ok_and(|name| name.contains("text")) {
            continue;
        }
        places.sort_unstable();
        for (at, (start, number)) in places.iter().enumerate() {
            let end = places.get(at + 1).map_or(code.len() as u64, |(next, _)| *next);
            let bytes = code.get(*start as usize..end as usize).unwrap_or_default();
            let mut decoder = Decoder::with_ip(64, bytes, *start, DecoderOptions::NONE);
            if !decoder.can_decode() {
                continue;
            }
            let instruction = decoder.decode();
            if instruction.is_invalid() {
                continue;
            }
            let mut padding = 0;
            // After a branch or a call it runs where that is not taken, or returns.
            use FlowControl::{Call, ConditionalBranch, IndirectCall, Next};
            if matches!(instruction.flow_control(), Next | ConditionalBranch | Call | IndirectCall) {
                while decoder.can_decode() {
                    let next = decoder.decode();
                    let pads = matches!(next.mnemonic(), Mnemonic::Nop | Mnemonic::Xchg | Mnemonic::Lea);
                    if next.is_invalid() || !pads {
                        padding = 0;
                        break;
                    }
                    padding += 1;
                }
            }
            all[*number] = Some(Decoded { instruction, padding });
        }
    }
    Ok(all)
}
