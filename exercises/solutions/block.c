/* A model answer. */
#include <math.h>
#include <stddef.h>

/* The side B of the squares, in elements, for a cache of `cache` bytes in lines of `line` bytes
 * and elements of `element` bytes. */
size_t side(size_t cache, size_t line, size_t element) {
    size_t b = sqrt(cache / element / 3);
    return b - b % (line / element);
}
