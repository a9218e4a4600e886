pub fn victim(filled: &[u64], _used: &[u64], _uses: &[u64], chance: u64) -> usize {
    chance as usize % filled.len()
}
