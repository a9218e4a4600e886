#include "check.h"

size_t pitch(size_t columns);

/* The cache: sets of lines of 8 elements. */
enum { ROWS = 64, SETS = 32, WAYS = 4, EACH = 8, MOST_UNUSED = 16, MOST = 600 };

static size_t judge(size_t columns) {
    size_t found = pitch(columns);
    if (found < columns)
        wrong("The pitch is at least the number of columns.", "rows of %zu elements, %zu from row to row: rows overlap", columns, found);
    if (found > columns + MOST_UNUSED)
        wrong("Padding of one line or two is enough: it moves each row to another set.",
              "rows of %zu elements, %zu from row to row: %zu are unused, and at most %d may be", columns, found, found - columns, MOST_UNUSED);
    if (found % EACH != 0)
        wrong("A line holds 8 elements: round up to whole lines.",
              "rows of %zu elements, %zu from row to row: rows do not begin at the start of a line", columns, found);
    int lines[SETS] = {0};
    for (size_t row = 0; row < ROWS; row++) {
        size_t set = found / EACH * row % SETS;
        if (++lines[set] > WAYS)
            wrong("With an even number of lines in a row, the rows use only every second set, or fewer. Which numbers of lines go through all 32 sets?",
                  "rows of %zu elements, %zu from row to row: more than %d of %d rows are in set %zu, so a second walk down the column misses", columns,
                  found, WAYS, ROWS, set);
    }
    return found;
}

static void walk(const volatile double *x, size_t pitch) {
    for (size_t row = 0; row < ROWS; row++) (void)x[pitch * row];
}

static void check(void) {
    static const size_t shown[] = {512, 1024, 100, 256, 40, 37, 48};
    double *x = array(ROWS * (1024 + MOST_UNUSED));
    for (size_t at = 0; at < sizeof shown / sizeof *shown; at++) {
        size_t found = judge(shown[at]);
        COUNTED("two walks down a column, in seven matrices", (walk(x, found), walk(x, found)));
        fact("rows of %zu elements, %zu from row to row: a column of %d rows fits", shown[at], found, ROWS);
    }
    for (size_t columns = 1; columns <= MOST; columns++) judge(columns);
    fact("the same with rows of 1 to %d elements", MOST);
}
