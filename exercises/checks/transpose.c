#include "check.h"

void transpose(size_t n, const double *from, double *to);

static void of(const char *region, size_t n) {
    double *from = array(n * n), *to = array(n * n);
    for (size_t at = 0; at < n * n; at++) {
        from[at] = value(at);
        to[at] = -1;
    }
    COUNTED(region, transpose(n, from, to));
    in_bounds(from, "from");
    in_bounds(to, "to");
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            if (from[i * n + j] != value(i * n + j)) wrong("Results go into `to`.", "from[%zu][%zu] was changed", i, j);
            if (to[i * n + j] != from[j * n + i])
                wrong("37 is no multiple of your square: where does the last square of each row end?",
                      "n = %zu: to[%zu][%zu] is %g, and must be %g", n, i, j, to[i * n + j], from[j * n + i]);
        }
}

static void check(void) {
    of("odd", 37);
    of("transpose", 208);
}
