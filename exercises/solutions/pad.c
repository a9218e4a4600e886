#include <stddef.h>

size_t pitch(size_t columns) {
    size_t lines = (columns + 7) / 8;
    return 8 * (lines + (lines + 1) % 2);
}
