#include <stddef.h>

/* Elements from the start of a row to the start of the next. */
size_t pitch(size_t columns) {
    return columns;
}
