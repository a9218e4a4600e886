//! One level of the hierarchy: serves the requests of the level above and
//! passes its own misses, victims and written-through stores down.

mod one;
mod rules;

use super::address_map::AddressMap;
use super::line_set::LineSet;
use super::lru;
use super::prefetch::Prefetcher;
use super::request::Request;
use super::sets::Sets;
use super::tag::{DIRTY, LINE, Tag, line_of, tag_of};
use machine::{CacheLevel, Inclusion, Index, Machine, Prefetch, Write};
pub(super) use one::{Asks, One};

/// Most arrays that are counted separately, and everything else.
pub(super) const ARRAYS: usize = 256;

/// What one level counts.
#[derive(Debug, Clone)]
pub(super) struct Tally {
    /// Misses per array: loads, stores.
    pub(super) misses: Box<[[u64; 2]; ARRAYS]>,
    /// Dirty victims.
    pub(super) write_backs: u64,
    /// Stores passed on: written through, or missed and not allocated.
    pub(super) written_through: u64,
    /// The latter alone.
    pub(super) not_allocated: u64,
    /// Lines prefetched, by this level or one above.
    pub(super) prefetches: u64,
    /// Of these, how many were used before their eviction.
    pub(super) useful: u64,
}

impl Tally {
    fn new() -> Tally {
        Tally {
            misses: Box::new([[0; 2]; ARRAYS]),
            write_backs: 0,
            written_through: 0,
            not_allocated: 0,
            prefetches: 0,
            useful: 0,
        }
    }

    /// Misses of all arrays.
    pub(super) fn all_misses(&self) -> u64 {
        self.misses.as_flattened().iter().sum()
    }

    /// Shows every counter, of the first `arrays` arrays, to `visit`, always
    /// in the same order.
    pub(super) fn each(&mut self, arrays: usize, mut visit: impl FnMut(&mut u64)) {
        self.misses[..arrays].as_flattened_mut().iter_mut().for_each(&mut visit);
        let single = [
            &mut self.write_backs,
            &mut self.written_through,
            &mut self.not_allocated,
            &mut self.prefetches,
            &mut self.useful,
        ];
        single.into_iter().for_each(visit);
    }
}

/// One level of the hierarchy.
#[derive(Debug, Clone)]
pub(super) struct Level {
    pub(super) shift: u32,
    sets: usize,
    /// `sets - 1` if that masks a line number to its set.
    mask: Option<u64>,
    pub(super) lines: Sets,
    write_back: bool,
    allocate: bool,
    exclusive: bool,
    /// Whether it is indexed by physical addresses.
    pub(super) physical: bool,
    /// Whether it may invalidate lines of the levels above.
    pub(super) recalls: bool,
    /// Whether clean victims are passed on: to an exclusive level below, or for
    /// back-invalidation of the levels above.
    evicts_clean: bool,
    /// Lines stay for good: none is evicted or invalidated, and one that an exclusive
    /// level has promoted counts as there, since it comes back before it is asked for.
    pub(super) keeps: bool,
    /// Dirty lines that an exclusive level promoted to the level above.
    pub(super) promoted_dirty: LineSet,
    /// Those promoted or accepted back since the journal was started, not both; and each
    /// time that happened, with how often it had when each part but the first one began.
    promoted_dirty_changed: LineSet,
    promoted_dirty_log: Vec<u64>,
    log_parts: Vec<usize>,
    pub(super) prefetcher: Option<Prefetcher>,
    /// Under LRU, every request means: use the line, or fill it.
    plain: bool,
    /// Serves one request, where that leads to few others.
    pub(super) one: Option<One>,
    pub(super) tally: Tally,
    /// The state beside the tags when the journal was started.
    saved_side_state: Vec<u64>,
    /// Requests and invalidations so far.
    pub(super) uses: u64,
    /// Whether a line came or went without a request for it.
    pub(super) disturbed: bool,
}

impl Level {
    /// The level `cache` of `machine`, to each set of which at most `lines` lines
    /// come, and no line from number `reach` on. One that evicts nothing is kept as
    /// a set for each line, where a line is found without a search; but the first
    /// level, whose sets are shown.
    pub(super) fn new(machine: &Machine, cache: &CacheLevel, lines: usize, reach: Option<usize>) -> Level {
        let by_line = reach.filter(|_| lines <= cache.ways && cache.level > 1);
        let (sets, ways, lines) = match by_line {
            Some(reach) => (reach.next_power_of_two(), 1, 1),
            None => (cache.sets(), cache.ways, lines),
        };
        let inclusion = |level: u8| machine.level(level).map(|cache| cache.inclusion);
        let inclusive = cache.inclusion == Inclusion::Inclusive;
        let exclusive = cache.inclusion == Inclusion::Exclusive;
        let below = inclusion(cache.level + 1);
        let mut above = machine.levels.iter().filter(|other| other.level <= cache.level);
        let prefetches = above.any(|cache| cache.prefetch != Prefetch::None);
        let write_back = cache.write == Write::Back;
        let plain = write_back && cache.allocate && !exclusive && !prefetches;
        let lines = Sets::new(sets, ways, lines, cache.replacement);
        let recalls = inclusive && lines.evicts;
        Level {
            shift: cache.line.0.trailing_zeros(),
            sets,
            mask: sets.is_power_of_two().then(|| sets as u64 - 1),
            one: one::of(&lines, plain, exclusive && cache.level > 1 && write_back && !prefetches),
            lines,
            write_back,
            allocate: cache.allocate,
            exclusive,
            physical: cache.index == Index::Physical,
            recalls,
            evicts_clean: inclusive || below == Some(Inclusion::Exclusive),
            keeps: by_line.is_some() && keeps_what_it_has(machine, cache),
            promoted_dirty: LineSet::default(),
            promoted_dirty_changed: LineSet::default(),
            promoted_dirty_log: Vec::new(),
            log_parts: Vec::new(),
            prefetcher: Prefetcher::new(cache, machine.page_size),
            plain,
            tally: Tally::new(),
            saved_side_state: Vec::new(),
            uses: 0,
            disturbed: false,
        }
    }

    #[inline(always)]
    fn set_of(sets: usize, mask: Option<u64>, line: u64) -> usize {
        match mask {
            Some(mask) => (line & mask) as usize,
            None => (line % sets as u64) as usize,
        }
    }

    /// Whether it neither invalidates lines of the levels above nor shares any with them.
    pub(super) fn is_independent(&self) -> bool {
        !self.exclusive && !self.evicts_clean
    }

    /// Whether all it does under LRU is to fetch lines and to write dirty ones back.
    pub(super) fn is_plain_lru(&self) -> bool {
        self.plain && self.lines.is_lru() && self.is_independent()
    }

    /// Bytes after which lines come to the same set again.
    pub(super) fn span(&self) -> usize {
        self.sets << self.shift
    }

    /// Whether it has the lines of all `addresses`.
    pub(super) fn has_all(&self, mut addresses: impl Iterator<Item = u64>) -> bool {
        addresses.all(|address| {
            let line = address >> self.shift;
            self.lines.find(self.set(line), tag_of(line)).is_some()
        })
    }

    /// The set of a line.
    pub(super) fn set(&self, line: u64) -> usize {
        Self::set_of(self.sets, self.mask, line)
    }

    /// Serves `input` in order; what must go to the next level is appended to
    /// `output`. The level next to the core finds each miss's array in `addresses`.
    pub(super) fn run(
        &mut self,
        addresses: Option<&AddressMap>,
        input: &[Request],
        output: &mut Vec<Request>,
    ) {
        self.uses += input.len() as u64;
        let ways = if self.plain && self.lines.is_lru() { self.lines.ways } else { 0 };
        match ways {
            1 => self.run_lru::<1>(addresses, input, output),
            2 => self.run_lru::<2>(addresses, input, output),
            4 => self.run_lru::<4>(addresses, input, output),
            8 => self.run_lru::<8>(addresses, input, output),
            10 => self.run_lru::<10>(addresses, input, output),
            12 => self.run_lru::<12>(addresses, input, output),
            16 => self.run_lru::<16>(addresses, input, output),
            _ => self.run_by_rules(addresses, input, output),
        }
    }

    /// The hot loop: write-back, allocating, LRU, `W` ways, nothing else.
    #[inline(always)]
    fn run_lru<const W: usize>(
        &mut self,
        addresses: Option<&AddressMap>,
        input: &[Request],
        output: &mut Vec<Request>,
    ) {
        let (shift, sets, mask, evicts_clean) = (self.shift, self.sets, self.mask, self.evicts_clean);
        let (lines, _) = self.lines.tags.as_chunks_mut::<W>();
        let journal = &mut self.lines.journal;
        for &request in input {
            if request.is(Request::VICTIM) && !request.is(Request::DATA) {
                continue;
            }
            let line = request.address() >> shift;
            let place = Self::set_of(sets, mask, line);
            let set = &mut lines[place];
            if journal.lacks(place) {
                journal.save(place, set, 0);
            }
            let key = tag_of(line);
            if request.is(Request::VICTIM) {
                match set.iter_mut().find(|tag| **tag & LINE == key) {
                    Some(tag) => *tag |= DIRTY,
                    None => output.push(request.passing()),
                }
                continue;
            }
            let dirty = if request.is(Request::DATA) { DIRTY } else { 0 };
            let touched = lru::touch(set, key, dirty);
            if touched.hit {
                continue;
            }
            let request = named(request, addresses);
            self.tally.misses[request.array() % ARRAYS][usize::from(request.is(Request::STORE))] += 1;
            output.push(request.fetch());
            let dirty = touched.tag & DIRTY != 0;
            self.tally.write_backs += u64::from(dirty);
            if dirty || evicts_clean && touched.tag != 0 {
                let data = if dirty { Request::DATA } else { 0 };
                let kind = Request::VICTIM | Request::EVICTED | data;
                output.push(Request::new(line_of(touched.tag) << shift, kind));
            }
        }
    }

    /// Puts `tags` into the level instead of what it holds.
    pub(super) fn refill(&mut self, tags: &[Tag]) {
        let (sets, mask) = (self.sets, self.mask);
        self.lines.clear();
        for &tag in tags {
            self.lines.fill(Self::set_of(sets, mask, line_of(tag)), tag);
        }
    }

    /// The state beside the tags: all that decides what it does next.
    pub(super) fn other_state(&self) -> Vec<u64> {
        let mut state: Vec<u64> = self.promoted_dirty.iter().collect();
        state.extend_from_slice(&self.lines.policy_state());
        state.extend(self.prefetcher.iter().flat_map(Prefetcher::state));
        state
    }

    /// From here on, the earlier content of changed sets is kept.
    pub(super) fn start_journal(&mut self) {
        self.lines.start_journal();
        self.promoted_dirty_changed.clear();
        self.promoted_dirty_log.clear();
        self.log_parts.clear();
        self.saved_side_state = self.side_state();
    }

    /// Begins the next part of the journal.
    pub(super) fn begin_part(&mut self) {
        self.lines.journal.begin_part();
        self.log_parts.push(self.promoted_dirty_log.len());
    }

    /// Makes all, but a prefetcher, as it was when that part began.
    pub(super) fn undo(&mut self, part: usize) {
        self.uses += 1;
        self.lines.undo(part);
        let earlier = part.checked_sub(1).and_then(|at| self.log_parts.get(at)).copied().unwrap_or(0);
        for line in self.promoted_dirty_log.drain(earlier..).rev() {
            if !self.promoted_dirty.remove(line) {
                self.promoted_dirty.insert(line);
            }
        }
    }

    /// Whether it takes what the level above evicts, and nothing else.
    pub(super) fn is_exclusive(&self) -> bool {
        self.exclusive
    }

    /// Whether all it does is to take them, in order of arrival, and to give them back.
    pub(super) fn is_of_victims(&self) -> bool {
        self.one.is_some()
            && self.promotes()
            && self.lines.is_in_order()
            && !self.recalls
            && !self.evicts_clean
    }

    /// Whether its lines leave it for the level above.
    pub(super) fn promotes(&self) -> bool {
        self.exclusive && !self.keeps
    }

    /// Whether `line` was promoted dirty when the journal was started, and is now.
    pub(super) fn promoted(&self, line: u64) -> [bool; 2] {
        let now = self.promoted_dirty.contains(line);
        [now != self.promoted_dirty_changed.contains(line), now]
    }

    /// Whether the level surely is as it was when the journal was started.
    pub(super) fn unchanged(&self) -> bool {
        let beside = self.promoted_dirty_changed.is_empty() && self.side_state() == self.saved_side_state;
        beside && self.lines.unchanged()
    }

    fn side_state(&self) -> Vec<u64> {
        let prefetcher = self.prefetcher.iter().flat_map(Prefetcher::state);
        prefetcher.chain([self.lines.generator()]).collect()
    }

    /// Invalidates every line in the `bytes` bytes from `address`; whether one
    /// of them was dirty.
    pub(super) fn invalidate(&mut self, address: u64, bytes: u64) -> bool {
        let mut dirty = false;
        for line in address >> self.shift..(address + bytes) >> self.shift {
            let tag = self.lines.remove(self.set(line), tag_of(line));
            dirty |= tag & DIRTY != 0 || self.take_promoted(line);
            self.disturbed |= tag != 0;
            self.uses += u64::from(tag != 0);
        }
        dirty
    }
}

/// Whether the lines of a level that evicts nothing stay: no level below recalls one,
/// and those that an exclusive level promotes come back, since no store passes them by,
/// and nothing asks for them meanwhile, since nothing is prefetched.
fn keeps_what_it_has(machine: &Machine, cache: &CacheLevel) -> bool {
    let mut above = machine.levels.iter().filter(|other| other.level < cache.level);
    let mut below = machine.levels.iter().filter(|other| other.level > cache.level);
    let fills = above.all(|above| above.write == Write::Back && above.allocate);
    let recalled = below.any(|below| below.inclusion == Inclusion::Inclusive);
    let prefetched = machine.levels.iter().any(|cache| cache.prefetch != Prefetch::None);
    !recalled && !prefetched && (fills || cache.inclusion != Inclusion::Exclusive)
}

/// The request with its array, if it is the first level's to find out.
#[inline(always)]
fn named(request: Request, addresses: Option<&AddressMap>) -> Request {
    match addresses {
        Some(addresses) => request.with_array(addresses.array(request.address())),
        None => request,
    }
}
