//! One record: the registers that it needs, and the accesses whose addresses follow from them.

use iced_x86::{Instruction, Register};

use crate::effects::{Counts, RSP, Registers};

/// How an entry of a descriptor is read; the lower two bits are [`LOAD`](crate::effects::LOAD) and
/// [`STORE`](crate::effects::STORE).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Form {
    /// At the word of the slot plus the displacement.
    #[default]
    Plain = 0,
    /// As often as the next entry's slot says; the next entry may name a second access.
    Repeated = 1,
    /// The displacement is the address of an instruction that the linker may have replaced.
    InCode = 2,
    /// By elements; the next entry says where the indices and the mask are.
    Gathered = 3,
    /// Not known.
    Unknown = 4,
    /// Before an instruction that ends at a condition: where it begins.
    Begins = 5,
    /// After it: where it ended, and in the next entry's slot its second place, if it has one.
    Ended = 6,
    /// More about the entry before.
    More = 7,
    /// The displacement is the address of the whole run, a call for the place of a thread's variable.
    /// If the linker has replaced it, it has `bytes` instructions less, and what it loads is in the slot.
    Call = 8,
}

#[derive(Debug, Default)]
pub(crate) struct Entry {
    pub(crate) displacement: String,
    /// Added to the displacement.
    pub(crate) offset: i64,
    /// Whether the slot has the stack pointer of the record's own code.
    pub(crate) is_on_stack: bool,
    pub(crate) place: u32,
    pub(crate) bytes: u16,
    /// The word of the record; 0 for none.
    pub(crate) word: u8,
    pub(crate) access: u8,
    pub(crate) form: Form,
}

impl Entry {
    pub(crate) fn new(form: Form, place: u32) -> Entry {
        Entry { form, place, ..Entry::default() }
    }
}

/// A sum of registers, of a displacement that the linker must see where it is, and of the thread's own
/// base. The scale is the index's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    pub(crate) is_thread: bool,
    pub(crate) base: Register,
    pub(crate) index: Register,
    pub(crate) scale: u32,
    pub(crate) displacement: String,
}

/// What a record has in its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Slot {
    Sum(Sum),
    /// The bytes of a vector register, or of a mask.
    Whole(Register),
}

impl Slot {
    pub(crate) fn words(&self) -> u8 {
        match self {
            Slot::Whole(register) if register.is_vector_register() => register.size() as u8 / 8,
            _ => 1,
        }
    }

    /// Registers that it needs.
    pub(crate) fn registers(&self) -> Registers {
        match self {
            Slot::Sum(Sum { base, index, .. }) => Registers::of(*base).and(Registers::of(*index)),
            Slot::Whole(register) => Registers::of(*register),
        }
    }
}

/// Words of a record, at most: what a signal handler leaves free for the record that it interrupts.
const MAX_WORDS: u8 = 200;
/// General registers of a record, at most: three more are needed to write it.
const MAX_REGISTERS: u32 = 10;

/// The statement before, or after, which a record is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Position {
    Before(usize),
    After(usize),
}

#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) position: Position,
    /// Slots with their first words.
    pub(crate) slots: Vec<(u8, Slot)>,
    pub(crate) words: u8,
    pub(crate) used: Registers,
    pub(crate) entries: Vec<Entry>,
    /// What the run adds to events by place; in its first record alone.
    pub(crate) counts: Vec<(u32, Counts)>,
}

impl Record {
    pub(crate) fn new(position: Position) -> Record {
        let (slots, used, entries, counts) = Default::default();
        Record { position, slots, words: 1, used, entries, counts }
    }

    /// The word of a slot.
    pub(crate) fn word(&mut self, slot: Slot) -> u8 {
        if let Some((word, _)) = self.slots.iter().find(|(_, known)| *known == slot) {
            return *word;
        }
        let word = self.words;
        self.words += slot.words();
        self.used = self.used.and(slot.registers());
        self.slots.push((word, slot));
        word
    }

    /// Whether it has no place for more registers than these.
    pub(crate) fn is_full(&self, more: Registers) -> bool {
        self.words > MAX_WORDS || self.used.and(more).general() > MAX_REGISTERS
    }
}

/// Whether a call for the place of a thread's variable begins, which the linker may replace: how many
/// instructions are left of it then, and whether they load the thread's base.
pub(crate) fn thread_call(text: &str) -> Option<(usize, bool)> {
    let word = text.split_once('@')?.1.split('(').next()?;
    match &*word.to_lowercase() {
        // Of one variable, by `__tls_get_addr`.
        "tlsgd" => Some((2, true)),
        // Of all of a file.
        "tlsld" => Some((1, true)),
        // By a function in a descriptor.
        "tlscall" => Some((1, false)),
        _ => None,
    }
}

/// Whether a displacement names no symbol: `8`, `-0x10`, nothing.
fn is_number(displacement: &str) -> bool {
    let terms = displacement
        .split(|sign: char| sign.is_ascii() && !sign.is_ascii_alphanumeric() && !"_.$".contains(sign));
    let digits = |term: &str| term.bytes().all(|digit| digit.is_ascii_digit());
    let hex = |term: &str| {
        term.strip_prefix("0x").is_some_and(|rest| rest.bytes().all(|digit| digit.is_ascii_hexdigit()))
    };
    terms.into_iter().all(|term| digits(term) || hex(term))
}

pub(crate) fn sum(base: Register, index: Register, scale: u32) -> Slot {
    let scale = if index == Register::None { 1 } else { scale };
    Slot::Sum(Sum { base, index, scale, ..Sum::default() })
}

/// An access that is not yet in a record.
#[derive(Debug)]
pub(crate) struct Access {
    pub(crate) entry: Entry,
    pub(crate) slot: Option<Slot>,
    /// The entry after it, if there is one: its slots are for its word and for its offset.
    more: Option<(Entry, Option<Slot>, Option<Slot>)>,
}

impl Access {
    pub(crate) fn new(form: Form, place: u32, access: u8, bytes: u16) -> Access {
        Access { entry: Entry { access, bytes, ..Entry::new(form, place) }, slot: None, more: None }
    }

    pub(crate) fn slots(&self) -> impl Iterator<Item = &Slot> {
        let more = self.more.iter().flat_map(|(_, first, second)| first.iter().chain(second));
        self.slot.iter().filter(|_| self.entry.form != Form::Unknown).chain(more)
    }

    /// Where the operand of `instruction` is, whose displacement the text writes so.
    pub(crate) fn find(&mut self, text: &str, instruction: &Instruction) {
        let text = if thread_call(text).is_some() { "" } else { text };
        let (base, index) = (instruction.memory_base(), instruction.memory_index());
        let is_relative = base == Register::RIP;
        if is_relative && (text.contains("@GOTPCREL") || text.to_lowercase().contains("@gottpoff")) {
            self.entry.form = Form::InCode;
            return;
        }
        let segment = instruction.segment_prefix();
        if is_relative && is_number(text) || base == Register::EIP || segment == Register::GS {
            self.entry.form = Form::Unknown;
            return;
        }
        if index.is_vector_register() {
            self.gather(text, instruction);
            return;
        }
        let is_thread = segment == Register::FS;
        let scale = instruction.memory_index_scale();
        if is_thread || base.is_gpr32() || index.is_gpr32() || text.contains('@') {
            let displacement = text.to_owned();
            self.slot = Some(Slot::Sum(Sum { is_thread, base, index, scale, displacement }));
        } else {
            self.entry.displacement = text.to_owned();
            let has_registers = base != Register::None || index != Register::None;
            self.slot = (has_registers && !is_relative).then(|| sum(base, index, scale));
        }
    }

    /// An access by elements: `(base, indices, scale)`, where a mask allows it.
    fn gather(&mut self, displacement: &str, instruction: &Instruction) {
        let registers: Vec<Register> =
            (0..instruction.op_count()).map(|at| instruction.op_register(at)).collect();
        let vectors: Vec<Register> = registers.iter().copied().filter(|r| r.is_vector_register()).collect();
        let mask = match instruction.op_mask() {
            Register::None => vectors.last().copied(),
            mask => Some(mask),
        };
        let name = format!("{:?}", instruction.mnemonic()).to_uppercase();
        // VGATHERDPD, VPSCATTERQD: the letter after the verb is the index's.
        let letter = ["GATHER", "SCATTER"].iter().find_map(|verb| {
            let at = name.find(verb)? + verb.len();
            name[at..].chars().next()
        });
        let (Some(mask), Some(data), Some(letter)) = (mask, vectors.first(), letter) else {
            self.entry.form = Form::Unknown;
            return;
        };
        let index_bytes: u32 = if letter == 'Q' { 8 } else { 4 };
        let index = instruction.memory_index();
        let elements =
            (index.size() as u32 / index_bytes).min(data.size() as u32 / u32::from(self.entry.bytes.max(1)));
        self.entry.form = Form::Gathered;
        self.entry.displacement = displacement.to_owned();
        self.slot = Some(sum(instruction.memory_base(), Register::None, 1));
        let mut more = Entry::new(Form::More, instruction.memory_index_scale() | index_bytes << 8);
        (more.access, more.bytes) = (mask.is_k().into(), elements as u16);
        self.more = Some((more, Some(Slot::Whole(index)), Some(Slot::Whole(mask))));
    }

    pub(crate) fn add_to(mut self, record: &mut Record, moved: i64) {
        if self.entry.form == Form::Unknown {
            self.slot = None;
        }
        if let Some(slot) = self.slot {
            self.entry.is_on_stack = slot.registers().meets(RSP);
            self.entry.offset += if self.entry.is_on_stack { moved } else { 0 };
            self.entry.word = record.word(slot);
        }
        record.entries.push(self.entry);
        if let Some((mut entry, first, second)) = self.more {
            entry.word = first.map_or(0, |slot| record.word(slot));
            entry.offset = second.map_or(0, |slot| record.word(slot).into());
            record.entries.push(entry);
        }
    }
}

/// The accesses of a repeated `movs`, `stos`, `lods`, `scas` or `cmps`.
pub(crate) fn repeated(instruction: &Instruction, mut parts: Vec<Access>) -> Vec<Access> {
    parts.sort_by_key(|part| part.entry.access);
    let name = format!("{:?}", instruction.mnemonic());
    let is_until = name.starts_with("Cmps") || name.starts_with("Scas");
    let second = if parts.len() > 1 { parts.pop() } else { None };
    let Some(mut first) = parts.pop() else { return parts };
    let access = second.as_ref().map_or(0, |second| second.entry.access);
    let more = Entry { access, ..Entry::new(Form::More, 0) };
    let times = (!is_until).then(|| sum(Register::RCX, Register::None, 1));
    first.more = Some((more, times, second.and_then(|second| second.slot)));
    first.entry.form = if is_until { Form::Ended } else { Form::Repeated };
    let begins = is_until.then(|| Access {
        slot: first.slot.clone(),
        ..Access::new(Form::Begins, first.entry.place, 0, first.entry.bytes)
    });
    begins.into_iter().chain([first]).collect()
}
