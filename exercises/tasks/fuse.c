#include <stddef.h>

/* b[i] = 2 a[i] and c[i] = a[i] + b[i]. */
void scale_and_add(size_t n, const double a[n], double b[n], double c[n]) {
    for (size_t i = 0; i < n; i++)
        b[i] = 2 * a[i];
    for (size_t i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}
