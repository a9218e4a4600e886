#include "check.h"

void subtract(size_t n, double *target, const double *source, double m, size_t first);

/* How often each column was changed; the source is 1. */
static void columns(const char *region, size_t n, size_t first) {
    double *target = array(n), *source = array(n);
    for (size_t j = 0; j < n; j++) {
        target[j] = 1000.0 + j;
        source[j] = 1;
    }
    COUNTED(region, subtract(n, target, source, 1, first));
    in_bounds(target, "target");
    size_t bad = 0, at = n;
    for (size_t j = n; j-- > 0;) {
        if (target[j] == 1000.0 + j - (j >= first)) continue;
        at = j;
        bad++;
    }
    if (at == n) return;
    double times = 1000.0 + at - target[at];
    int is_end = bad == n - at && times == 0;
    const char *what = times == 0 ? "was never changed" : times == 2 ? "was changed twice" : "was not changed by 1.0 times the source";
    const char *hint = "Does the tail begin where the last block ended?";
    if (at < first)
        wrong("The loop begins at `first`.", "a row of %zu columns, from column %zu: column %zu was changed", n, first, at);
    if (is_end)
        hint = "The blocks end before the row does: the columns after the last whole block need their own loop.";
    else if (bad == n - first)
        hint = "Each column is wrong, so the step is: the new target is the old one minus source times m.";
    else if (times == 0)
        hint = "What is j after a block, and in the next iteration? It is increased twice.";
    wrong(hint, "a row of %zu columns, from column %zu: column %zu %s; %zu of %zu columns are wrong", n, first, at, what, bad, n - first);
}

enum { ROWS = 28 };

/* Compares an elimination, of sizes that are no multiples of 8, with one by a plain loop. */
static void eliminate(void) {
    double *a[ROWS], *row = array(ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        a[i] = array(ROWS);
        for (size_t j = 0; j < ROWS; j++) a[i][j] = 1 + value(i * ROWS + j);
    }
    for (size_t k = 0; k < ROWS; k++)
        for (size_t i = k + 1; i < ROWS; i++) {
            double m = a[i][k] / a[k][k];
            memcpy(row, a[i], ROWS * sizeof *row);
            for (size_t j = k + 1; j < ROWS; j++) row[j] -= a[k][j] * m;
            subtract(ROWS, a[i], a[k], m, k + 1);
            for (size_t j = 0; j < ROWS; j++)
                if (memcmp(&row[j], &a[i][j], sizeof *row) != 0)
                    wrong("One multiplication, one subtraction: subtract source[j] times m from target[j].",
                          "each column is changed once, but an elimination has %.6e in row %zu, column %zu after step %zu, and %.6e is right",
                          a[i][j], i, j, k, row[j]);
        }
}

static void check(void) {
    columns("of 43", 43, 20);
    columns("of 43", 43, 0);
    columns("of 43", 43, 3);
    columns("a row", 4003, 3);
    eliminate();
    fact("every column of a row is changed once");
    fact("an elimination of %d rows has the right result, bit for bit", ROWS);
}
