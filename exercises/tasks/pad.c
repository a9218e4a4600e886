/* Padding against conflicts. The matrix has rows of `columns` doubles, and the program walks
 * down its columns. With rows of 4096 bytes all elements of a column are in the same set of the
 * cache: they evict each other, though most of the cache is unused.
 *
 * The cure is padding: rows that are a little longer in memory, with unused elements at the end.
 * How long? The cache has 8 KiB in lines of 64 bytes: 32 sets of 4 lines. A column of 64 rows must
 * fit, for any number of columns. Each row begins at the start of a line, and at most 16 elements
 * of a row are unused.
 *
 * Draw the sets of the first rows: with rows of 8 lines, of 9 lines. */
#include <stddef.h>

/* Elements from the start of a row to the start of the next. */
size_t pitch(size_t columns) {
    return columns;
}
