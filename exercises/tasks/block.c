/* A block size from the rule. A product in blocks has three squares in the cache, one of each
 * matrix, B by B elements. Which B? The check asks for caches of the first level (L1) and of
 * the second one (L2).
 *
 * - The three squares must fit the cache.
 * - A row of a square should be whole lines: B is a multiple of the elements in a line.
 * - The larger B, the fewer misses (2 n^3 / (m B) of n^3 steps, with m elements in a line):
 *   take the largest B that meets both conditions.
 *
 * Useful C: sqrt(x) of <math.h>; a / b rounds down; a % b is the remainder. */
#include <math.h>
#include <stddef.h>

/* The side B of the squares, in elements, for a cache of `cache` bytes in lines of `line` bytes
 * and elements of `element` bytes. */
size_t side(size_t cache, size_t line, size_t element) {
    return 0;
}
