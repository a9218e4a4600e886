//! What a kernel does, as a description: single accesses, and loops in which every access
//! advances by a constant number of bytes from one iteration to the next.
//!
//! The kernel runs the first two iterations of a loop and the last one; the others follow
//! from these. A loop whose iterations turn out to differ is written down one by one.

use crate::addresses::AddressMap;

/// Most accesses and loops that are written down before they are simulated.
const MAX_NODES: usize = 1 << 16;
/// Iterations of each model that debug builds run although they are described.
const CHECKED_ITERATIONS: u64 = 1 << 14;

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Load,
    Store,
    /// The same of memory that no level is asked for.
    LoadElsewhere,
    StoreElsewhere,
    /// No access: a pass of a repetition begins.
    Pass,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Access {
    /// In the first iteration of the loops around it.
    pub(crate) address: u64,
    /// Bytes of a vector; 1 of a single element, which lies within a line.
    pub(crate) bytes: u32,
    pub(crate) array: u8,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    Access(Access),
    Loop(Box<Loop>),
}

/// A loop: what its first iteration does, and how far each access advances from one
/// iteration to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Loop {
    pub(crate) iterations: u64,
    pub(crate) body: Vec<Node>,
    /// All accesses in the body, inner loops included.
    pub(crate) accesses: Vec<Access>,
    /// Bytes by which each of them advances.
    pub(crate) advances: Vec<i64>,
    /// What all advances of each in inner loops are multiples of; 0 where there are none.
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
        Loop { iterations, body, accesses, advances, inner_grains }
    }

    /// Advances `accesses` by so many iterations.
    pub(crate) fn advance(&self, accesses: &mut [Access], iterations: u64) {
        for (access, advance) in accesses.iter_mut().zip(&self.advances) {
            access.address = access.address.wrapping_add((*advance as u64).wrapping_mul(iterations));
        }
    }

    /// Which accesses, at least, are to be found so that all are, where lines have `line` bytes:
    /// of those that stay where they are, one to each line.
    pub(crate) fn accesses_to_find(&self, line: u64) -> Vec<usize> {
        let target =
            |at: usize| (self.advances[at], self.accesses[at].address / line, self.accesses[at].kind);
        let is_new = |at: &usize| {
            let stays = self.advances[*at] == 0 && self.accesses[*at].bytes == 1;
            !stays || !(0..*at).any(|earlier| target(earlier) == target(*at))
        };
        (0..self.accesses.len()).filter(is_new).collect()
    }

    /// Whether it has no loop in it.
    pub(crate) fn is_innermost(&self) -> bool {
        self.body.iter().all(|node| matches!(node, Node::Access(_)))
    }

    /// For how many iterations after the one that makes `accesses` all of them stay in the
    /// lines, of `line` bytes, that they are in then.
    pub(crate) fn iterations_on_the_same_lines(&self, accesses: &[Access], line: u64) -> u64 {
        let mut least = u64::MAX;
        for (at, &advance) in self.advances.iter().enumerate() {
            if advance == 0 {
                continue;
            }
            // The offsets in their lines differ by at most `grain` from their remainder.
            let grain = gcd(line, self.inner_grains[at]);
            let start = accesses[at].address & (grain - 1);
            let end = start + u64::from(accesses[at].bytes);
            if end > grain {
                return 0;
            }
            let space = if advance > 0 { grain - end } else { start };
            least = least.min(space / advance.unsigned_abs());
            if least == 0 {
                return 0;
            }
        }
        least
    }
}

pub(crate) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Writes down what a kernel does.
#[derive(Debug)]
pub(crate) struct Recorder {
    addresses: AddressMap,
    /// The loops that are running, the outermost first.
    loops: Vec<Running>,
    /// What the iteration at hand, or the kernel outside of loops, has done so far.
    current: Vec<Node>,
    /// Iterations that a debug build has yet to run although they are described.
    to_check: u64,
}

/// A loop that is running.
#[derive(Debug)]
struct Running {
    /// What was done before it in the iteration around it.
    before: Vec<Node>,
    /// What its first iteration did.
    first: Vec<Node>,
    /// How far accesses advance; not known before the second iteration has ended.
    advances: Option<Vec<i64>>,
    /// Iterations that `first` and `advances` describe.
    described: u64,
    /// Whether all iterations so far are described.
    is_regular: bool,
}

impl Running {
    /// What its iterations did, as far as they are described.
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

    /// Writes down an access to an element at `pointer`, or to a vector of `bytes` bytes;
    /// whether it is time to simulate.
    #[inline(never)]
    pub(crate) fn access(&mut self, pointer: usize, bytes: usize, store: bool) -> bool {
        let place = self.addresses.place(pointer);
        let kind = match (place.is_some(), store) {
            (true, false) => Kind::Load,
            (true, true) => Kind::Store,
            (false, false) => Kind::LoadElsewhere,
            (false, true) => Kind::StoreElsewhere,
        };
        let (address, array) = place.unwrap_or_default();
        self.current.push(Node::Access(Access { address, bytes: bytes as u32, array, kind }));
        self.current.len() >= MAX_NODES
    }

    /// Writes down that a pass of a repetition begins.
    pub(crate) fn pass(&mut self) {
        self.current.push(Node::Access(Access { address: 0, bytes: 1, array: 0, kind: Kind::Pass }));
    }

    /// A loop begins.
    pub(crate) fn begin_loop(&mut self) {
        self.loops.push(Running {
            before: std::mem::take(&mut self.current),
            first: Vec::new(),
            advances: None,
            described: 0,
            is_regular: true,
        });
    }

    /// An iteration of the innermost running loop ends; whether it does something else than
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
            // What lies outside the arrays is relocated piece by piece: it cannot advance.
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

    /// Whether the iterations of the innermost running loop that come next are known.
    pub(crate) fn knows_next(&mut self) -> bool {
        let is_known =
            self.loops.last().is_some_and(|running| running.is_regular && running.advances.is_some());
        if is_known && self.to_check > 0 {
            self.to_check -= 1;
            return false;
        }
        is_known
    }

    /// So many iterations are not run: they do what is described.
    pub(crate) fn skip(&mut self, iterations: u64) {
        if let Some(running) = self.loops.last_mut() {
            running.described += iterations;
        }
    }

    /// The innermost running loop ends; whether it is time to simulate.
    pub(crate) fn end_loop(&mut self) -> bool {
        let Some(mut running) = self.loops.pop() else { return false };
        let nodes = running.nodes();
        running.before.extend(nodes);
        running.before.append(&mut self.current);
        self.current = running.before;
        self.current.len() >= MAX_NODES || self.loops.iter().all(|outer| !outer.is_regular)
    }

    /// All that was written down and not taken yet, in order. Loops that are running are from now
    /// on written down iteration by iteration.
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

/// Adds how far each access of `second` is from that of `first`; whether the two do the same
/// but for that.
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

/// Whether `second` does what `first` does, each access so many bytes further on.
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
