#include "check.h"

void smooth(size_t n, const double *from, double *to);

enum { UNTOUCHED = -1 };

static void of(const char *region, size_t n) {
    double *from = array(n * n), *to = array(n * n);
    for (size_t at = 0; at < n * n; at++) {
        from[at] = value(at);
        to[at] = UNTOUCHED;
    }
    COUNTED(region, smooth(n, from, to));
    in_bounds(from, "from");
    in_bounds(to, "to");
    size_t stored = 0;
    for (size_t at = 0; at < n * n; at++) stored += to[at] != UNTOUCHED;
    if (stored == 0) wrong("Begin with the two loops over i and j.", "no element of `to` was changed");
    for (size_t at = 0; at < n * n; at++) {
        size_t i = at / n, j = at % n;
        if (from[at] != value(at)) wrong("Results go into `to`.", "from[%zu][%zu] was changed", i, j);
        if (i == 0 || i == n - 1 || j == 0 || j == n - 1) {
            if (to[at] != UNTOUCHED) wrong("The border stays as it is.", "n = %zu: to[%zu][%zu] is %g, and must not change", n, i, j, to[at]);
            continue;
        }
        double right = (from[at - n] + from[at + n] + from[at - 1] + from[at + 1]) / 4;
        if (to[at] != right)
            wrong("Each inner element, each the mean of the four next to it, in `from`.", "n = %zu: to[%zu][%zu] is %g, and must be %g",
                  n, i, j, to[at], right);
    }
}

static void check(void) {
    of("odd", 37);
    of("means", 208);
}
