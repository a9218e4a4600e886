#include <math.h>
#include <stddef.h>

size_t side(size_t cache, size_t line, size_t element) {
    size_t b = sqrt(cache / element / 3);
    return b - b % (line / element);
}
