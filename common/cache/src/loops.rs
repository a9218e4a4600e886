//! A description of what a kernel does: single accesses, and loops in which every access
//! advances by a constant number of bytes from one iteration to the next.
//!
//! The kernel runs the first two iterations of a loop and the last one; the others follow
//! from these. If the iterations of a loop differ, they are recorded one by one.

use crate::addresses::AddressMap;

/// Largest number of accesses and loops that are recorded before they are simulated.
const MAX_NODES: usize = 1 << 16;
/// Iterations per model that debug builds run for checking, although they are described.
const CHECKED_ITERATIONS: u64 = 1 << 14;

/// The kind of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccessKind {
    /// A load that reaches the caches.
    Load,
    /// A store that reaches the caches.
    Store,
    /// A load that is counted and reaches no cache.
    LoadElsewhere,
    /// A store that is counted and reaches no cache.
    StoreElsewhere,
    /// No access: marks the start of a pass of a repetition.
    Pass,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Access {
    /// Its address in the first iteration of the loops around it.
    pub(crate) address: u64,
    /// Bytes of a vector; 1 for a single element, which is always within a line.
    pub(crate) bytes: u32,
    pub(crate) array: u8,
    pub(crate) kind: AccessKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    Access(Access),
    Loop(Box<Loop>),
}

/// A loop: its first iteration, and how far each access advances from one iteration to the
/// next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Loop {
    pub(crate) iterations: u64,
    pub(crate) body: Vec<Node>,
    /// All accesses in the body, including inner loops.
    pub(crate) accesses: Vec<Access>,
    /// Bytes by which each of them advances.
    pub(crate) advances: Vec<i64>,
    /// Those that advance.
    pub(crate) moving: Vec<usize>,
    /// The greatest common divisor of each access's advances in inner loops; 0 without
    /// inner loops.
    pub(crate) inner_grains: Vec<u64>,
}

impl Loop {
    fn new(iterations: u64, body: Vec<Node>, advances: Vec<i64>) -> Loop {
        let (mut accesses, mut inner_grains) = (Vec::new(), Vec::new());
        for node in &body {
            match node {
                Node::Access(access) => {
                    accesses.push(*access);
                    inner_grains.push(0);
                }
                Node::Loop(inner) => {
                    accesses.extend_from_slice(&inner.accesses);
                    let grains = inner.inner_grains.iter().zip(&inner.advances);
                    inner_grains.extend(grains.map(|(grain, advance)| gcd(*grain, advance.unsigned_abs())));
                }
            }
        }
        let moving = (0..advances.len()).filter(|at| advances[*at] != 0).collect();
        Loop { iterations, body, accesses, advances, moving, inner_grains }
    }

    /// Advances `accesses` by this number of iterations.
    pub(crate) fn advance(&self, accesses: &mut [Access], iterations: u64) {
        for &at in &self.moving {
            let bytes = (self.advances[at] as u64).wrapping_mul(iterations);
            accesses[at].address = accesses[at].address.wrapping_add(bytes);
        }
    }

    /// A selection of an iteration's `accesses`: if these hit, all do, for lines of `line` bytes. Of
    /// accesses that do not advance, it has one for each line.
    pub(crate) fn accesses_to_find(&self, accesses: &[Access], line: u64) -> Vec<usize> {
        let target = |at: usize| (self.advances[at], accesses[at].address / line, accesses[at].kind);
        let is_new = |at: &usize| {
            let stays = self.advances[*at] == 0 && accesses[*at].bytes == 1;
            !stays || !(0..*at).any(|earlier| target(earlier) == target(*at))
        };
        (0..accesses.len()).filter(is_new).collect()
    }

    /// Whether it contains no loop.
    pub(crate) fn is_innermost(&self) -> bool {
        self.body.iter().all(|node| matches!(node, Node::Access(_)))
    }

    /// The number of iterations, after the one that makes `accesses`, in which all accesses
    /// stay on the same lines of `line` bytes.
    pub(crate) fn iterations_on_the_same_lines(&self, accesses: &[Access], line: u64) -> u64 {
        let mut least = u64::MAX;
        for &at in &self.moving {
            let advance = self.advances[at];
            // Within their lines, the accesses are at multiples of `grain` plus `start`.
            let grain = gcd(line, self.inner_grains[at]);
            let start = accesses[at].address & (grain - 1);
            let end = start + u64::from(accesses[at].bytes);
            if end > grain {
                return 0;
            }
            let space = if advance > 0 { grain - end } else { start };
            if space < advance.unsigned_abs() {
                return 0;
            }
            least = least.min(space / advance.unsigned_abs());
        }
        least
    }
}

pub(crate) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Records what a kernel does.
#[derive(Debug)]
pub(crate) struct Recorder {
    addresses: AddressMap,
    /// The loops that are running, the outermost first.
    loops: Vec<Running>,
    /// The current iteration, or the code outside of loops, so far.
    current: Vec<Node>,
    /// Iterations that a debug build still has to run for checking.
    to_check: u64,
}

/// A loop that is running.
#[derive(Debug)]
struct Running {
    /// What happened before it in the iteration around it.
    before: Vec<Node>,
    /// Its first iteration.
    first: Vec<Node>,
    /// How far accesses advance; unknown before the end of the second iteration.
    advances: Option<Vec<i64>>,
    /// Number of iterations that `first` and `advances` describe.
    described: u64,
    /// Whether all iterations so far are described.
    is_regular: bool,
}

impl Running {
    /// Its iterations, as far as they are described.
    fn nodes(&mut self) -> Vec<Node> {
        let first = std::mem::take(&mut self.first);
        match (std::mem::take(&mut self.described), self.advances.take()) {
            (0, _) => Vec::new(),
            (1, _) | (_, None) => first,
            (iterations, Some(advances)) => {
                vec![Node::Loop(Box::new(Loop::new(iterations, first, advances)))]
            }
        }
    }
}

impl Recorder {
    pub(crate) fn new(addresses: AddressMap) -> Recorder {
        let to_check = if cfg!(debug_assertions) { CHECKED_ITERATIONS } else { 0 };
        Recorder { addresses, loops: Vec::new(), current: Vec::new(), to_check }
    }

    pub(crate) fn addresses(&self) -> &AddressMap {
        &self.addresses
    }

    /// Records an access to an element at `pointer`, or to a vector of `bytes` bytes;
    /// returns whether it is time to simulate.
    #[inline(never)]
    pub(crate) fn access(&mut self, pointer: usize, bytes: usize, store: bool) -> bool {
        let place = self.addresses.place(pointer);
        let kind = match (place.is_some(), store) {
            (true, false) => AccessKind::Load,
            (true, true) => AccessKind::Store,
            (false, false) => AccessKind::LoadElsewhere,
            (false, true) => AccessKind::StoreElsewhere,
        };
        let (address, array) = place.unwrap_or_default();
        self.current.push(Node::Access(Access { address, bytes: bytes as u32, array, kind }));
        self.current.len() >= MAX_NODES
    }

    /// Records the start of a pass of a repetition.
    pub(crate) fn pass(&mut self) {
        self.current.push(Node::Access(Access { address: 0, bytes: 1, array: 0, kind: AccessKind::Pass }));
    }

    /// Starts a loop.
    pub(crate) fn begin_loop(&mut self) {
        self.loops.push(Running {
            before: std::mem::take(&mut self.current),
            first: Vec::new(),
            advances: None,
            described: 0,
            is_regular: true,
        });
    }

    /// Ends an iteration of the innermost running loop; returns whether it differs from
    /// what the first two describe.
    pub(crate) fn end_iteration(&mut self) -> bool {
        let Some(running) = self.loops.last_mut().filter(|running| running.is_regular) else { return false };
        if running.described == 0 {
            running.first = std::mem::take(&mut self.current);
            running.described = 1;
            return false;
        }
        let was_known = running.advances.is_some();
        if !was_known {
            let mut advances = Vec::new();
            let is_alike = advances_between(&running.first, &self.current, &mut advances);
            // Memory outside the arrays is relocated piece by piece, so its addresses
            // cannot advance.
            let is_known = is_alike && all_inside(&running.first, &advances, &self.addresses);
            running.advances = is_known.then_some(advances);
        }
        let described = running.described as i64;
        let is_described = running.advances.as_ref().is_some_and(|advances| {
            is_moved(&running.first, &self.current, &mut advances.iter().map(|advance| advance * described))
        });
        if is_described {
            running.described += 1;
            self.current.clear();
        } else {
            running.is_regular = false;
            let mut nodes = running.nodes();
            nodes.append(&mut self.current);
            self.current = nodes;
        }
        was_known && !is_described
    }

    /// Whether the next iterations of the innermost running loop are known.
    pub(crate) fn knows_next(&mut self) -> bool {
        let is_known =
            self.loops.last().is_some_and(|running| running.is_regular && running.advances.is_some());
        if is_known && self.to_check > 0 {
            self.to_check -= 1;
            return false;
        }
        is_known
    }

    /// Skips this number of iterations: they do what is described.
    pub(crate) fn skip(&mut self, iterations: u64) {
        if let Some(running) = self.loops.last_mut() {
            running.described += iterations;
        }
    }

    /// Ends the innermost running loop; returns whether it is time to simulate.
    pub(crate) fn end_loop(&mut self) -> bool {
        let Some(mut running) = self.loops.pop() else { return false };
        let nodes = running.nodes();
        running.before.extend(nodes);
        running.before.append(&mut self.current);
        self.current = running.before;
        self.current.len() >= MAX_NODES || self.loops.iter().all(|outer| !outer.is_regular)
    }

    /// Everything recorded since the last call, in order. From now on, loops that are
    /// running are recorded iteration by iteration.
    pub(crate) fn take(&mut self) -> Vec<Node> {
        let mut all = Vec::new();
        for running in &mut self.loops {
            all.append(&mut running.before);
            all.append(&mut running.nodes());
            running.is_regular = false;
        }
        all.append(&mut self.current);
        all
    }
}

/// Adds the distance of each access of `second` from that of `first`; returns whether the
/// two are otherwise equal.
fn advances_between(first: &[Node], second: &[Node], advances: &mut Vec<i64>) -> bool {
    first.len() == second.len()
        && first.iter().zip(second).all(|nodes| match nodes {
            (Node::Access(one), Node::Access(two)) => {
                advances.push(two.address.wrapping_sub(one.address) as i64);
                Access { address: one.address, ..*two } == *one
            }
            (Node::Loop(one), Node::Loop(two)) => {
                one.iterations == two.iterations
                    && one.advances == two.advances
                    && advances_between(&one.body, &two.body, advances)
            }
            _ => false,
        })
}

/// Whether `second` equals `first` with each access advanced by these bytes.
fn is_moved(first: &[Node], second: &[Node], by: &mut impl Iterator<Item = i64>) -> bool {
    first.len() == second.len()
        && first.iter().zip(second).all(|nodes| match nodes {
            (Node::Access(one), Node::Access(two)) => {
                let address = one.address.wrapping_add_signed(by.next().unwrap_or(0));
                Access { address, ..*one } == *two
            }
            (Node::Loop(one), Node::Loop(two)) => {
                one.iterations == two.iterations
                    && one.advances == two.advances
                    && is_moved(&one.body, &two.body, by)
            }
            _ => false,
        })
}

/// Whether all accesses that advance are to arrays.
fn all_inside(nodes: &[Node], advances: &[i64], addresses: &AddressMap) -> bool {
    let mut advances = advances.iter();
    let mut is_inside = |access: &Access| {
        let advances = advances.next().is_some_and(|advance| *advance != 0);
        !advances || !addresses.is_outside(access.array)
    };
    nodes.iter().all(|node| match node {
        Node::Access(access) => is_inside(access),
        Node::Loop(inner) => inner.accesses.iter().all(&mut is_inside),
    })
}
