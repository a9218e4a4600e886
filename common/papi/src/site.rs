//! The descriptors of rewritten code, which say what its records mean. Their form is that of the crate
//! `instrument`.

use std::ffi::{CStr, c_char};
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::{image, locked};

#[repr(C)]
pub(crate) struct Descriptor {
    site: AtomicPtr<Site>,
    places: *const [u32; 2],
    words: u16,
    entries: u16,
    counts: u16,
    unused: u16,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Entry {
    displacement: u64,
    place: u32,
    bytes: u16,
    word: u8,
    kind: u8,
}

/// Events that a run of instructions adds to, in the order of the crate `instrument`.
pub(crate) const EVENTS: usize = 9;

#[repr(C)]
#[derive(Clone, Copy)]
struct Counts {
    place: u32,
    counts: [u16; EVENTS + 1],
}

/// A source line: the file's name, a text of the program, and the line.
pub(crate) type Place = (u64, u32);

/// How the addresses of an access follow from a record.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Form {
    #[default]
    Plain,
    /// As often as `word` says, with a second access between.
    Repeated {
        count: u8,
        second: Option<(u8, bool)>,
    },
    /// For each element whose bit is set in the mask.
    Gathered {
        indices: u8,
        mask: u8,
        bits: bool,
        scale: u8,
        index_bytes: u8,
        elements: u16,
    },
    Unknown,
    Begins,
    Ended {
        second: Option<u8>,
    },
    /// A new block: its address, its bytes, and the return address of the call.
    Block,
}

/// An access of a record.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Touch {
    pub(crate) displacement: u64,
    pub(crate) bytes: u16,
    pub(crate) word: u8,
    pub(crate) is_store: bool,
    /// Whether it stores what the access before has loaded.
    pub(crate) is_update: bool,
    pub(crate) form: Form,
    pub(crate) place: Place,
}

/// What is needed for a plain access each time.
#[derive(Debug)]
pub(crate) struct Plain {
    pub(crate) displacement: u64,
    pub(crate) bytes: u16,
    pub(crate) word: u8,
    pub(crate) is_store: bool,
}

impl Touch {
    fn plain(&self) -> Option<Plain> {
        let Touch { displacement, bytes, word, is_store, .. } = *self;
        (self.form == Form::Plain && bytes > 0).then_some(Plain { displacement, bytes, word, is_store })
    }
}

/// Accesses one after the other within a few words, from the same word of the record, as one; with the
/// number of the access after it.
fn groups(accesses: impl Iterator<Item = Plain>) -> Box<[(Plain, usize)]> {
    const WIDEST: u64 = 32;
    let mut groups: Vec<(Plain, usize)> = Vec::new();
    for (at, access) in accesses.enumerate() {
        let joined = groups.last_mut().and_then(|(group, after)| {
            let start = group.displacement.cast_signed().min(access.displacement.cast_signed());
            let end = |one: &Plain| one.displacement.cast_signed().checked_add(one.bytes.into());
            let bytes = end(group)?.max(end(&access)?).abs_diff(start);
            (group.word == access.word && bytes <= WIDEST).then_some((group, after, start, bytes))
        });
        match joined {
            Some((group, after, start, bytes)) => {
                (group.displacement, group.bytes) = (start.cast_unsigned(), bytes as u16);
                group.is_store |= access.is_store;
                *after = at + 1;
            }
            None => groups.push((access, at + 1)),
        }
    }
    groups.into()
}

/// What a descriptor says.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) number: usize,
    pub(crate) words: usize,
    /// The number of the first access among those of all sites.
    pub(crate) first: usize,
    pub(crate) touches: Box<[Touch]>,
    /// The same, if all of them are [`Form::Plain`], and their loads and stores.
    pub(crate) plain: Option<Box<[Plain]>>,
    /// The plain ones put together; see [`groups`].
    pub(crate) groups: Box<[(Plain, usize)]>,
    pub(crate) accesses: [u64; 2],
    pub(crate) counts: Box<[(Place, [u16; EVENTS])]>,
    pub(crate) totals: [u64; EVENTS],
}

/// All sites that were executed, by number.
static SITES: Mutex<Vec<&'static Site>> = Mutex::new(Vec::new());

pub(crate) fn sites() -> Vec<&'static Site> {
    locked(&SITES).clone()
}

/// The descriptor of the records of [`block`](crate::buffer::block).
pub(crate) static BLOCK: Descriptor = Descriptor {
    site: AtomicPtr::new(std::ptr::null_mut()),
    places: std::ptr::null(),
    words: 4,
    entries: 0,
    counts: 0,
    unused: 0,
};

// SAFETY: all but `site`, which is atomic, is never written.
unsafe impl Sync for Descriptor {}

/// The site of the descriptor at an address that rewritten code has put into a record.
#[inline(always)]
pub(crate) fn of(descriptor: u64) -> &'static Site {
    // SAFETY: descriptors are in the data of the program and of libraries that stay loaded; a site is
    // never freed.
    match unsafe { (*(descriptor as *const Descriptor)).site.load(Ordering::Acquire).as_ref() } {
        Some(site) => site,
        None => new_site(descriptor as *const Descriptor),
    }
}

#[cold]
fn new_site(descriptor: *const Descriptor) -> &'static Site {
    let mut sites = locked(&SITES);
    // SAFETY: as in `of`; the entries and the counts follow the descriptor.
    let (head, entries, counts) = unsafe {
        let head = &*descriptor;
        let entries = descriptor.add(1).cast::<Entry>();
        let counts = entries.add(head.entries.into()).cast::<Counts>();
        (
            head,
            std::slice::from_raw_parts(entries, head.entries.into()),
            std::slice::from_raw_parts(counts, head.counts.into()),
        )
    };
    // SAFETY: another thread may have made it before the lock was taken.
    if let Some(site) = unsafe { head.site.load(Ordering::Acquire).as_ref() } {
        return site;
    }
    let place = |number: u32| place(head.places, number);
    let mut counts: Box<[(Place, [u16; EVENTS])]> =
        counts.iter().map(|one| (place(one.place), std::array::from_fn(|event| one.counts[event]))).collect();
    let mut touches = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        if let Some(instead) = instead_of_call(descriptor as u64, entry, &place) {
            let own = counts.iter_mut().find(|(own, _)| *own == place(entry.place));
            if let Some((_, [instructions, branches, ..])) = own {
                *instructions = instructions.saturating_sub(entry.bytes);
                *branches = branches.saturating_sub(1);
            }
            touches = instead;
            break;
        }
        touches.extend(read(descriptor as u64, entry, entries.get(at + 1), &place));
    }
    if std::ptr::eq(descriptor, &raw const BLOCK) {
        touches.push(Touch { word: 1, form: Form::Block, ..Touch::default() });
    }
    let mut totals = [0; EVENTS];
    for (_, counts) in &counts {
        totals.iter_mut().zip(counts).for_each(|(total, count)| *total += u64::from(*count));
    }
    let first = sites.last().map_or(0, |site| site.first + site.touches.len());
    let site: &'static Site = Box::leak(Box::new(Site {
        number: sites.len(),
        words: head.words.into(),
        first,
        groups: groups(touches.iter().filter_map(Touch::plain)),
        plain: touches.iter().map(Touch::plain).collect(),
        accesses: [false, true].map(|is| touches.iter().filter(|touch| touch.is_store == is).count() as u64),
        touches: touches.into(),
        counts,
        totals,
    }));
    sites.push(site);
    head.site.store((&raw const *site).cast_mut(), Ordering::Release);
    site
}

fn place(table: *const [u32; 2], number: u32) -> Place {
    // SAFETY: the table has that many places; its offsets are from its own beginning.
    unsafe {
        let [name, line] = *table.add(number as usize);
        (table as u64 + u64::from(name), line)
    }
}

/// The name of a place's file.
pub(crate) fn file_name(place: Place) -> String {
    if place.0 == 0 {
        return "?".to_owned();
    }
    // SAFETY: the table's names end in 0, and stay.
    unsafe { CStr::from_ptr(place.0 as *const c_char) }.to_string_lossy().into_owned()
}

/// The accesses of an entry; `next` is the one after it.
fn read(descriptor: u64, entry: &Entry, next: Option<&Entry>, place: &dyn Fn(u32) -> Place) -> Vec<Touch> {
    let (access, form) = (entry.kind & 3, entry.kind >> 2);
    let (is_load, is_store) = (access & 1 != 0, access & 2 != 0);
    let mut displacement = entry.displacement;
    let more = next.copied().unwrap_or_default();
    let second = more.displacement as u8;
    let form = match form {
        0 => Form::Plain,
        1 => {
            Form::Repeated { count: more.word, second: (second > 0).then_some((second, more.kind & 2 != 0)) }
        }
        2 => match operand(entry.displacement) {
            Some(address) => {
                displacement = address;
                Form::Plain
            }
            None => return Vec::new(),
        },
        3 => Form::Gathered {
            indices: more.word,
            mask: second,
            bits: more.kind & 1 != 0,
            scale: more.place as u8,
            index_bytes: (more.place >> 8) as u8,
            elements: more.bytes,
        },
        4 => Form::Unknown,
        5 => Form::Begins,
        6 => Form::Ended { second: (second > 0).then_some(second) },
        _ => return Vec::new(),
    };
    if entry.word == 0 && form != Form::Unknown {
        // So that it is relative to the record's first word, as all are to one.
        displacement = displacement.wrapping_sub(descriptor);
    }
    let touch = Touch {
        displacement,
        bytes: entry.bytes,
        word: entry.word,
        is_store: is_store && !is_load,
        form,
        place: place(entry.place),
        ..Touch::default()
    };
    if is_load && is_store {
        return vec![touch, Touch { is_store: true, is_update: true, ..touch }];
    }
    vec![touch]
}

/// What is accessed instead of the entries after this one, a call for the place of a thread's variable,
/// if the linker has replaced the call; none for other entries.
fn instead_of_call(descriptor: u64, entry: &Entry, place: &dyn Fn(u32) -> Place) -> Option<Vec<Touch>> {
    const CALL: u8 = 8;
    const SEGMENT: u8 = 0x64;
    const NOP: u8 = 0x90;
    // Of 8 bytes without its prefixes.
    const LONG_NOP: [u8; 2] = [0x0f, 0x1f];
    // The length of `mov %fs:0,%rax`.
    const LOAD: u64 = 9;
    if entry.kind >> 2 != CALL {
        return None;
    }
    let mut at = after_prefixes(entry.displacement);
    if [0, 1].map(|more| byte(at + more)) == LONG_NOP {
        at += 8;
    }
    let load = |displacement, word| {
        let entry = Entry { displacement, place: entry.place, bytes: 8, word, kind: 1 };
        read(descriptor, &entry, None, place)
    };
    match byte(at) {
        NOP => Some(Vec::new()),
        SEGMENT => {
            let mut all = load(0, entry.word);
            // `add x@gottpoff(%rip),%rax`, for a variable of a library.
            if [0, 1, 2].map(|more| byte(at + LOAD + more)) == [0x48, 0x03, 0x05] {
                all.extend(operand(at + LOAD).into_iter().flat_map(|address| load(address, 0)));
            }
            Some(all)
        }
        _ => None,
    }
}

/// A byte of the program's code.
fn byte(at: u64) -> u8 {
    // SAFETY: it is asked for bytes of a rewritten instruction, or of the one after it, alone.
    unsafe { *(at as *const u8) }
}

fn after_prefixes(mut at: u64) -> u64 {
    while matches!(byte(at), 0x66 | 0x67 | 0xf2 | 0xf3 | 0x2e | 0x3e) {
        at += 1;
    }
    at
}

/// The address that the instruction at `at` reads relative to itself; none if the linker has
/// replaced it by one that reads no memory.
fn operand(at: u64) -> Option<u64> {
    const LEA: u8 = 0x8d;
    const CALL: u8 = 0xe8;
    const JUMP: u8 = 0xe9;
    let mut place = after_prefixes(at);
    place += u64::from(byte(place) & 0xf0 == 0x40);
    let is_long = byte(place) == 0x0f;
    place += u64::from(is_long);
    // SAFETY: the four bytes of an operand of the instruction.
    let relative = |at: u64| unsafe { (at as *const i32).read_unaligned() };
    let after = |at: u64| (at + 4).wrapping_add_signed(relative(at).into());
    match byte(place) {
        CALL | JUMP if !is_long => image::pointer_to(after(place + 1)),
        LEA if !is_long => image::pointer_to(after(place + 2)),
        _ => (byte(place + 1) & 0xc7 == 5).then(|| after(place + 2)),
    }
}
