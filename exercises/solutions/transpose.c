#include <stddef.h>

void transpose(size_t n, const double from[n][n], double to[n][n]) {
    enum { B = 16 };
    for (size_t ii = 0; ii < n; ii += B)
        for (size_t jj = 0; jj < n; jj += B)
            for (size_t i = ii; i < ii + B && i < n; i++)
                for (size_t j = jj; j < jj + B && j < n; j++)
                    to[j][i] = from[i][j];
}
