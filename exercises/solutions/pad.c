/* A model answer. */
#include <stddef.h>

/* Elements from the start of a row to the start of the next. */
size_t pitch(size_t columns) {
    size_t lines = (columns + 7) / 8;
    return 8 * (lines + (lines + 1) % 2);
}
