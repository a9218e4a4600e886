//! Splits code into straight runs, and each run into records.

use std::collections::{HashMap, HashSet};

use iced_x86::{Instruction, InstructionInfoFactory, Mnemonic, Register};

use crate::Source;
use crate::context::{Places, Sections, targets};
use crate::effects::{self, Counts, EVENTS, LOAD, RSP, Registers};
use crate::emit;
use crate::operand;
use crate::probe::Decoded;
use crate::record::{Access, Form, Position, Record, Slot, Sum, repeated, sum, thread_call};
use crate::statements::{Kind, Statement};

/// Instructions of a run, at most, so that its counts fit their fields.
const MAX_RUN: usize = 256;

/// An instruction of a run: the numbers of its statement, of its place and of that of the padding after it.
struct Member {
    statement: usize,
    place: u32,
    padding_place: u32,
}

/// What becomes of a text.
struct Writer<'t> {
    statements: &'t [Statement<'t>],
    decoded: &'t [Option<Decoded>],
    factory: InstructionInfoFactory,
    run: Vec<Member>,
    /// Code to put at positions.
    inserts: HashMap<Position, String>,
    /// Instructions that get a label, since the linker may replace them.
    labelled: HashSet<usize>,
    records: usize,
}

/// The text with records.
pub(crate) fn write(source: Source<'_>, statements: &[Statement<'_>], decoded: &[Option<Decoded>]) -> String {
    let targets = targets(statements);
    let mut places = Places::new(source, statements);
    let mut sections = Sections::default();
    let mut writer = Writer {
        statements,
        decoded,
        factory: InstructionInfoFactory::new(),
        run: Vec::new(),
        inserts: HashMap::new(),
        labelled: HashSet::new(),
        records: 0,
    };
    let mut left_out = 0;
    for (number, statement) in statements.iter().enumerate() {
        match statement.kind {
            Kind::Label if !statement.text.starts_with(".L") || targets.contains(&*statement.text) => {
                writer.end_run();
            }
            Kind::Label => {}
            Kind::Directive if sections.follow(&statement.text) => {
                writer.end_run();
            }
            Kind::Directive | Kind::Marker => {
                places.follow(statement, source.folder, &sections.current);
                if statement.text.contains("align")
                    && let Some(last) = writer.run.last_mut()
                {
                    last.padding_place = places.last(&sections.current).unwrap_or(last.place);
                }
            }
            Kind::Instruction => match &decoded[number] {
                Some(_) => writer.add(number, places.of(statement, &sections.current)),
                None => {
                    writer.end_run();
                    left_out += 1;
                }
            },
        }
    }
    writer.end_run();
    let name = places.all.first().map_or(source.name, |(name, _)| name);
    let notes: Vec<String> = (left_out > 0)
        .then(|| format!("{left_out} statements of assembly in {name} are not counted"))
        .into_iter()
        .collect();
    writer.text(&places, &notes)
}

impl Writer<'_> {
    fn text(&self, places: &Places, notes: &[String]) -> String {
        let insert = |position| self.inserts.get(&position).map_or("", String::as_str);
        let mut text = String::new();
        for (number, statement) in self.statements.iter().enumerate() {
            text += insert(Position::Before(number));
            if self.labelled.contains(&number) {
                text += &format!(".Llabi{number}:\n");
            }
            text += &statement.text;
            text += if statement.kind == Kind::Label { ":\n" } else { "\n" };
            text += insert(Position::After(number));
        }
        emit::tables(&mut text, places, notes);
        text
    }

    fn add(&mut self, statement: usize, place: u32) {
        let ends = |last: &Member| {
            self.decoded[last.statement].is_some_and(|last| effects::ends_run(&last.instruction))
        };
        // The linker may replace all from a thread call's first instruction up to the call: nothing goes between.
        let begins = thread_call(&self.statements[statement].text).is_some();
        if begins || self.run.len() >= MAX_RUN || self.run.last().is_some_and(ends) {
            self.end_run();
        }
        self.run.push(Member { statement, place, padding_place: place });
    }

    fn end_run(&mut self) {
        let run = std::mem::take(&mut self.run);
        let Some(first) = run.first() else { return };
        let is_landing =
            self.decoded[first.statement].is_some_and(|one| effects::is_landing(&one.instruction));
        let position = if is_landing { Position::After } else { Position::Before }(first.statement);
        let mut counts: Vec<(u32, Counts)> = Vec::new();
        let mut records = vec![Record::new(position)];
        if let Some((left, loads)) = thread_call(&self.statements[first.statement].text) {
            self.labelled.insert(first.statement);
            // In the large code model one of those left is padding.
            let dropped = run.len().saturating_sub(left + usize::from(run.len() > 2));
            let mut access = Access::new(Form::Call, run[run.len() - 1].place, 0, dropped as u16);
            access.entry.displacement = format!(".Llabi{}", first.statement);
            access.slot = loads.then(|| Slot::Sum(Sum { is_thread: true, ..Sum::default() }));
            access.add_to(&mut records[0], 0);
        }
        let mut state = State::NEW;
        let mut after = None;
        for member in &run {
            let Some(Decoded { instruction, padding }) = self.decoded[member.statement] else { continue };
            let mut add = |place: u32, own: Counts| match counts.iter_mut().find(|(known, _)| *known == place)
            {
                Some((_, sum)) => (0..EVENTS).for_each(|event| sum[event] += own[event]),
                None => counts.push((place, own)),
            };
            add(member.place, effects::counts(&instruction));
            let padded = [padding as u16, 0, 0, 0, 0, 0, 0, 0, 0];
            if padding > 0 && effects::ends_run(&instruction) {
                let counts = vec![(member.padding_place, padded)];
                after = Some(Record { counts, ..Record::new(Position::After(member.statement)) });
            } else if padding > 0 {
                add(member.padding_place, padded);
            }
            self.record(&mut records, &mut state, member, &instruction);
        }
        records[0].counts = counts;
        for record in records.iter().chain(&after) {
            self.emit(record);
        }
    }

    /// Adds an instruction's accesses.
    fn record(
        &mut self,
        records: &mut Vec<Record>,
        state: &mut State,
        member: &Member,
        instruction: &Instruction,
    ) {
        let accesses = self.accesses(member, instruction);
        let needed = accesses.iter().fold(Registers::default(), |all, access| {
            access.slots().fold(all, |all, slot| all.and(slot.registers()))
        });
        let is_lost = state.written.meets(needed.without(RSP)) || needed.meets(RSP) && state.moved.is_none();
        if is_lost || records.last().is_some_and(|record| record.is_full(needed)) {
            records.push(Record::new(Position::Before(member.statement)));
            *state = State::NEW;
        }
        let is_until = accesses.iter().any(|access| access.entry.form == Form::Begins);
        let mut ends = Vec::new();
        if let Some(record) = records.last_mut() {
            for access in accesses {
                if access.entry.form == Form::Ended {
                    ends.push(access);
                } else {
                    access.add_to(record, state.moved.unwrap_or(0));
                }
            }
        }
        let (written, moved) = effects::written(instruction, &mut self.factory);
        state.written = state.written.and(written);
        state.moved = state.moved.zip(moved).map(|(before, more)| before + more);
        if is_until {
            let mut record = Record::new(Position::After(member.statement));
            ends.into_iter().for_each(|access| access.add_to(&mut record, 0));
            records.push(record);
            *state = State::NEW;
        }
    }

    /// The accesses of an instruction.
    fn accesses(&mut self, member: &Member, instruction: &Instruction) -> Vec<Access> {
        let text = &self.statements[member.statement].text;
        let mut is_explicit = effects::has_memory_operand(instruction);
        let mut all = Vec::new();
        // The linker may make a load of it.
        if text.to_lowercase().contains("@tlsdesc") {
            let mut access = Access::new(Form::InCode, member.place, LOAD, 8);
            access.entry.displacement = format!(".Llabi{}", member.statement);
            self.labelled.insert(member.statement);
            all.push(access);
        }
        let used = self.factory.info(instruction).used_memory();
        for memory in used.iter().filter(|memory| effects::access(memory) != 0) {
            let bytes = effects::bytes(instruction, memory);
            let (base, index) = (memory.base(), memory.index());
            let is_operand = is_explicit
                && (base == instruction.memory_base()
                    || instruction.is_ip_rel_memory_operand() && base == Register::None)
                && index == instruction.memory_index();
            let mut access = Access::new(Form::Plain, member.place, effects::access(memory), bytes);
            if is_operand {
                is_explicit = false;
                match operand::displacement(text) {
                    Some(displacement) => {
                        // A pop finds its operand after it has moved the stack pointer.
                        let is_pop = instruction.mnemonic() == Mnemonic::Pop && base == Register::RSP;
                        access.entry.offset = if is_pop { 8 } else { 0 };
                        access.find(displacement, instruction);
                    }
                    None => access.entry.form = Form::Unknown,
                }
                if access.entry.form == Form::InCode {
                    self.labelled.insert(member.statement);
                    access.entry.displacement = format!(".Llabi{}", member.statement);
                }
            } else {
                access.entry.offset = memory.displacement().cast_signed();
                access.slot = Some(sum(base, index, memory.scale()));
            }
            if bytes == 0 {
                access.entry.form = Form::Unknown;
            }
            all.push(access);
        }
        let is_repeated = instruction.has_rep_prefix() || instruction.has_repne_prefix();
        if instruction.is_string_instruction() && is_repeated { repeated(instruction, all) } else { all }
    }

    fn emit(&mut self, record: &Record) {
        self.records += 1;
        let mut code = String::new();
        let pushed = emit::code(&mut code, record, self.records);
        emit::descriptor(&mut code, record, self.records, pushed);
        *self.inserts.entry(record.position).or_default() += &code;
    }
}

/// What changed since a record's position.
#[derive(Debug)]
struct State {
    written: Registers,
    /// Bytes by which the stack pointer moved, if that is known.
    moved: Option<i64>,
}

impl State {
    const NEW: State = State { written: Registers::NONE, moved: Some(0) };
}
