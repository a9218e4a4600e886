#include <stddef.h>

void scale_and_add(size_t n, const double a[n], double b[n], double c[n]) {
    for (size_t i = 0; i < n; i++) {
        double value = a[i], twice = 2 * value;
        b[i] = twice;
        c[i] = value + twice;
    }
}
