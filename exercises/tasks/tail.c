#include <stddef.h>

/* Subtracts m times `source` from `target`, in the columns from `first` to the end of the row. */
void subtract(size_t n, double target[n], const double source[n], double m, size_t first) {
    for (size_t j = first; j < n; j++) {
        if (j + 8 < n) {
            for (size_t column = j; column < j + 8; column++)
                target[column] -= source[column] * m;
            j += 8;
        } else {
            target[j] -= source[j] * m;
            j++;
        }
    }
}
