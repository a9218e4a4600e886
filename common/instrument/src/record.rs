//! One record: the registers that it needs, and the accesses whose addresses follow from them.

use iced_x86::Register;

use crate::effects::{Counts, Registers};

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
