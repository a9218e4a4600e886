
/// The index of the line to evict. Useful: filled.len(), chance as usize % 8; for LRU
/// (0..used.len()).min_by_key(|&way| used[way]).unwrap_or(0)
pub fn victim(filled: &[u64], used: &[u64], uses: &[u64], chance: u64) -> usize {
    let _ = (filled, used, uses, chance); // remove this line
    0
}
