/* Transpose by blocks, for two machines. to[j][i] = from[i][j] for every i and j.
 *
 * The two loops below are right, but every store misses the cache: while j runs along a row of
 * `from`, it runs down a column of `to`, a new line each time. When i increases, the first line
 * of the column has been evicted.
 *
 * Cut both matrices into squares whose lines fit the cache, and transpose square by square. The
 * same function must be good on two machines. One has a cache of 8 KiB in lines of 64 bytes, the
 * other one 16 KiB in lines of 128 bytes; an element has 8 bytes. With squares of B elements and
 * n a multiple of B (in this exercise it need not be one):
 *
 *     for (ii = 0; ii < n; ii += B)
 *         for (jj = 0; jj < n; jj += B)
 *             for (i = ii; i < ii + B; i++)
 *                 for (j = jj; j < jj + B; j++)
 *                     to[j][i] = from[i][j];
 */
#include <stddef.h>

/* Writes the transpose of `from` into `to`. */
void transpose(size_t n, const double from[n][n], double to[n][n]) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            to[j][i] = from[i][j];
}
