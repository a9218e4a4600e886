//! Tree-PLRU: a tree of direction bits over 1, 2, 4 ... 64 ways. Node 1 is the root,
//! node n has the children 2n and 2n + 1; a set bit leads to the second.

/// The way to which the bits lead: the victim.
pub fn victim(tree: u64, ways: usize) -> usize {
    let mut node = 1;
    while node < ways {
        node = 2 * node + (tree >> node & 1) as usize;
    }
    node - ways
}

/// Points every bit on the path to `way` away from it.
pub fn touch(tree: &mut u64, ways: usize, way: usize) {
    let mut node = way + ways;
    while node > 1 {
        let parent = node / 2;
        *tree = *tree & !(1 << parent) | u64::from(node & 1 == 0) << parent;
        node = parent;
    }
}
