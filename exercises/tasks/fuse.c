/* Two loops into one. The function below makes two arrays from one. Each array is larger than
 * the cache: when the second loop begins, the first elements of `a` and `b` have been evicted,
 * and all their lines are fetched again.
 *
 * Do the work of both loops in one, with one load of a[i], and one store to b[i] and to c[i].
 * A value that was just computed need not be loaded: use a variable. */
#include <stddef.h>

/* b[i] = 2 a[i] and c[i] = a[i] + b[i]. */
void scale_and_add(size_t n, const double a[n], double b[n], double c[n]) {
    for (size_t i = 0; i < n; i++)
        b[i] = 2 * a[i];
    for (size_t i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}
