#include <stddef.h>

void subtract(size_t n, double target[n], const double source[n], double m, size_t first) {
    size_t j = first;
    for (; j + 8 <= n; j += 8)
        for (size_t column = j; column < j + 8; column++)
            target[column] -= source[column] * m;
    for (; j < n; j++)
        target[j] -= source[j] * m;
}
