#include <math.h> /* sqrt(x) */
#include <stddef.h>

/* The side B of the squares, in elements, for a cache of `cache` bytes in lines of `line` bytes and elements of
 * `element` bytes. Useful: a / b rounds down; a % b is the remainder. */
size_t side(size_t cache, size_t line, size_t element) {
    return 0;
}
