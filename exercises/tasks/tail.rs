
/// Subtracts m times `source` from `target`, in the columns from `first` to the end of the row.
pub fn subtract(target: &mut [f64], source: &[f64], m: f64, first: usize) {
    let n = target.len();
    let mut j = first;
    while j < n {
        if j + 8 < n {
            for column in j..j + 8 {
                target[column] -= source[column] * m;
            }
            j += 8;
        } else {
            target[j] -= source[j] * m;
            j += 1;
        }
        j += 1; // the j++ of the loop's head
    }
}
