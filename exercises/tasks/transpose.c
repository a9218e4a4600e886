#include <stddef.h>

/* Writes the transpose of `from` into `to`. */
void transpose(size_t n, const double from[n][n], double to[n][n]) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            to[j][i] = from[i][j];
}
