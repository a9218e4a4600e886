//! The records that rewritten code appends to its thread's buffer, and the descriptors that say what
//! they mean. Their form is that of the crate `instrument`.

use std::ffi::{CStr, c_char};
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use crate::session::locked;

/// Bytes of a buffer that may be full before it is drained; its address is a multiple of [`ALIGN`],
/// so that rewritten code finds out from one byte of an address.
pub(crate) const FULL: u64 = 1 << 16;
pub(crate) const ALIGN: usize = 1 << 24;
/// Words of a record, at most.
pub(crate) const LONGEST: usize = 256;
/// Bytes of a buffer: at most one record begins when it is full.
pub(crate) const BYTES: usize = FULL as usize + 2 * 8 * LONGEST;

// `lab_ptr` says that the buffer is full until there is one. `lab_slow` changes no register.
std::arch::global_asm!(
    ".pushsection .tdata,\"awT\",@progbits",
    ".globl lab_ptr",
    ".type lab_ptr,@object",
    ".balign 8",
    "lab_ptr: .quad 0x10000",
    ".size lab_ptr,8",
    ".popsection",
    ".pushsection .init_array.00000,\"aw\"",
    ".balign 8",
    ".quad lab_begin",
    ".popsection",
    ".globl lab_slow",
    ".type lab_slow,@function",
    "lab_slow:",
    "pushfq",
    "pushq %rax; pushq %rcx; pushq %rdx; pushq %rsi; pushq %rdi; pushq %r8; pushq %r9; pushq %r10; pushq %r11",
    "pushq %rbp; pushq %rbx",
    "movq %rsp,%rbp",
    // The state of vectors and masks, at most 11 KiB; its header must be 0.
    "subq $16384,%rsp",
    "andq $-64,%rsp",
    "xorl %eax,%eax",
    "movq %rax,512(%rsp); movq %rax,520(%rsp); movq %rax,528(%rsp); movq %rax,536(%rsp)",
    "movq %rax,544(%rsp); movq %rax,552(%rsp); movq %rax,560(%rsp); movq %rax,568(%rsp)",
    "movl $0xe7,%eax",
    "xorl %edx,%edx",
    "xsave64 (%rsp)",
    "cld",
    "call lab_drain",
    "movl $0xe7,%eax",
    "xorl %edx,%edx",
    "xrstor64 (%rsp)",
    "movq %rbp,%rsp",
    "popq %rbx; popq %rbp",
    "popq %r11; popq %r10; popq %r9; popq %r8; popq %rdi; popq %rsi; popq %rdx; popq %rcx; popq %rax",
    "popfq",
    "ret",
    // The stack of `main` begins at a page, so that its lines are the same ones in each run.
    ".globl __wrap_main",
    ".type __wrap_main,@function",
    "__wrap_main:",
    ".cfi_startproc",
    "pushq %rbp",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset %rbp,-16",
    "movq %rsp,%rbp",
    ".cfi_def_cfa_register %rbp",
    "andq $-4096,%rsp",
    "movq %rsp,{stack}(%rip)",
    "pushq %rdi; pushq %rsi; pushq %rdx; pushq %rdx",
    "call lab_main_begins",
    "popq %rdx; popq %rdx; popq %rsi; popq %rdi",
    "call __real_main",
    "leave",
    ".cfi_def_cfa %rsp,8",
    "ret",
    ".cfi_endproc",
    stack = sym STACK,
    options(att_syntax)
);

unsafe extern "C" {
    /// Counts the records, so that there is place for the next one (`thread.rs`).
    safe fn lab_drain();
}

/// The stack pointer when `main` was called, a multiple of a page; 0 before.
pub(crate) static STACK: AtomicU64 = AtomicU64::new(0);

/// The calling thread's place of `lab_ptr`.
pub(crate) fn pointer() -> *const AtomicU64 {
    let place: *const AtomicU64;
    // SAFETY: the ABI's way to the address of a thread's variable; it reads memory alone.
    unsafe {
        std::arch::asm!(
            "mov {0}, qword ptr fs:[0]",
            "add {0}, qword ptr [rip + lab_ptr@GOTTPOFF]",
            out(reg) place,
            options(nostack, readonly)
        );
    }
    place
}

/// The calling thread's `lab_ptr`.
pub(crate) fn own() -> &'static AtomicU64 {
    // SAFETY: the variable is there as long as the thread runs, and the reference does not leave it.
    unsafe { &*pointer() }
}

#[repr(C)]
struct Descriptor {
    site: AtomicPtr<Site>,
    places: *const [u32; 2],
    words: u16,
    entries: u16,
    counts: u16,
    unused: u16,
}

#[repr(C)]
#[derive(Clone, Copy)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
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
#[derive(Debug, Clone, Copy)]
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

/// What a descriptor says.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) number: usize,
    pub(crate) words: usize,
    /// The number of the first access among those of all sites.
    pub(crate) first: usize,
    pub(crate) touches: Box<[Touch]>,
    /// Whether all accesses are [`Form::Plain`].
    pub(crate) is_plain: bool,
    pub(crate) counts: Box<[(Place, [u16; EVENTS])]>,
    pub(crate) totals: [u64; EVENTS],
}

/// All sites that were executed, by number.
static SITES: Mutex<Vec<&'static Site>> = Mutex::new(Vec::new());

pub(crate) fn sites() -> Vec<&'static Site> {
    locked(&SITES).clone()
}

/// The descriptor of [`block`]'s records.
static BLOCK: Descriptor = Descriptor {
    site: AtomicPtr::new(std::ptr::null_mut()),
    places: std::ptr::null(),
    words: 4,
    entries: 0,
    counts: 0,
    unused: 0,
};

// SAFETY: all but `site`, which is atomic, is never written.
unsafe impl Sync for Descriptor {}

/// Appends to the calling thread's buffer that there is a block; `caller` is the return address of
/// the call that made it.
pub(crate) fn block(address: u64, bytes: u64, caller: u64) {
    let own = own();
    if own.load(Ordering::Relaxed) & 0xff_0000 != 0 {
        lab_drain();
    }
    let place = own.load(Ordering::Relaxed);
    for (at, word) in [(&raw const BLOCK) as u64, address, bytes, caller].into_iter().enumerate() {
        // SAFETY: as rewritten code does: behind a pointer below `FULL` there is place for a record.
        unsafe { (*(place as *const AtomicU64).add(at)).store(word, Ordering::Relaxed) };
    }
    own.store(place + 32, Ordering::Release);
}

/// The site of the descriptor at an address that rewritten code has put into a record.
#[inline(always)]
pub(crate) fn site(descriptor: u64) -> &'static Site {
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
    // SAFETY: as in `site`; the entries and the counts follow the descriptor.
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
    let mut touches = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        touches.extend(read(descriptor as u64, entry, entries.get(at + 1), &place));
    }
    if std::ptr::eq(descriptor, &raw const BLOCK) {
        let form = Form::Block;
        let is_update = false;
        touches.push(Touch {
            displacement: 0,
            bytes: 0,
            word: 1,
            is_store: false,
            is_update,
            form,
            place: (0, 0),
        });
    }
    let mut totals = [0; EVENTS];
    for counts in counts {
        totals.iter_mut().zip(counts.counts).for_each(|(total, count)| *total += u64::from(count));
    }
    let first = sites.last().map_or(0, |site| site.first + site.touches.len());
    let site: &'static Site = Box::leak(Box::new(Site {
        number: sites.len(),
        words: head.words.into(),
        first,
        is_plain: touches.iter().all(|touch| touch.form == Form::Plain),
        touches: touches.into(),
        counts: counts
            .iter()
            .map(|one| (place(one.place), std::array::from_fn(|event| one.counts[event])))
            .collect(),
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
    let more = next.copied().unwrap_or(Entry { displacement: 0, place: 0, bytes: 0, word: 0, kind: 0 });
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
        is_update: false,
        form,
        place: place(entry.place),
    };
    if is_load && is_store {
        return vec![touch, Touch { is_store: true, is_update: true, ..touch }];
    }
    vec![touch]
}

/// The address that the instruction at `at` reads relative to itself; none if the linker has
/// replaced it by one that reads no memory.
fn operand(at: u64) -> Option<u64> {
    // SAFETY: it is an instruction of the program, of 5 bytes at least; the operand ends it.
    let byte = |place: u64| unsafe { *(place as *const u8) };
    let mut place = at;
    while matches!(byte(place), 0x66 | 0x67 | 0xf2 | 0xf3 | 0x2e | 0x3e) {
        place += 1;
    }
    place += u64::from(byte(place) & 0xf0 == 0x40);
    let is_long = byte(place) == 0x0f;
    place += u64::from(is_long);
    let is_relative = byte(place + 1) & 0xc7 == 5;
    if !is_long && matches!(byte(place), 0x8d | 0xe8 | 0xe9) || !is_relative {
        return None;
    }
    // SAFETY: the four bytes of the operand.
    let distance = unsafe { ((place + 2) as *const i32).read_unaligned() };
    Some((place + 6).wrapping_add_signed(distance.into()))
}
