#include "check.h"

double sum(size_t rows, size_t cols, const double *x);

static void of(const char *region, size_t rows, size_t cols) {
    double *x = array(rows * cols), right = 0, found;
    for (size_t at = 0; at < rows * cols; at++) right += x[at] = value(at);
    COUNTED(region, found = sum(rows, cols, x));
    in_bounds(x, "x");
    if (found != right)
        wrong("All elements of all rows: i counts rows, j counts columns.",
              "a matrix of %zu rows and %zu columns: the sum is %.15g, and must be %.15g", rows, cols, found, right);
}

static void check(void) {
    of("odd", 37, 11);
    of("sum", 208, 208);
}
