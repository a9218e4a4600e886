#include "check.h"

size_t side(size_t cache, size_t line, size_t element);

static void judge(size_t cache, size_t line, size_t element) {
    size_t b = side(cache, line, element), each = line / element, next = b + each, bytes = b < 1 << 20 ? 3 * b * b * element : SIZE_MAX;
    const char *rounded = "Round down to whole lines: a part of a line is fetched as a whole one.";
    const char *small = "It fits, but it is too small: misses are proportional to 1 / B. Does the rule use the cache's size, and bytes per element?";
    char given[100];
    snprintf(given, sizeof given, "cache %zu, line %zu, element %zu: B = %zu", cache, line, element, b);
    if (b == 0)
        wrong("Three squares of B by B elements fill the cache: solve that for B. Then round down to a multiple of the elements in a line; its bytes are too many.",
              "%s", given);
    if (bytes > cache)
        wrong(bytes / 3 <= cache ? "One square fits, but a product uses one of each matrix at a time."
                                 : "Not even one square fits: did you count elements where bytes are given?",
              "%s, and three squares take more than the cache", given);
    if (b % each != 0) wrong(rounded, "%s, and a line holds %zu elements", given, each);
    if (3 * next * next * element <= cache) wrong(small, "%s, and three squares of %zu fit too", given, next);
}

enum { N = 64 };

static double *a, *b, *c;

static void product(size_t side) {
    for (size_t ii = 0; ii < N; ii += side)
        for (size_t kk = 0; kk < N; kk += side)
            for (size_t jj = 0; jj < N; jj += side)
                for (size_t i = ii; i < ii + side && i < N; i++)
                    for (size_t k = kk; k < kk + side && k < N; k++)
                        for (size_t j = jj; j < jj + side && j < N; j++) c[i * N + j] += a[i * N + k] * b[k * N + j];
}

/* So many that a table of them is more work than the rule: among them a second level, a cache of 48 KiB, the
 * lecture's lines of 32 bytes, and the guide's elements of 16 bits. */
static void check(void) {
    static const size_t sizes[] = {32, 256, 48, 8, 16, 1024, 1280}, lines[] = {64, 32, 128}, elements[] = {8, 2, 4, 16};
    for (size_t at = 0; at < 7 * 3 * 4; at++) {
        size_t cache = sizes[at / 12] << 10, line = lines[at / 4 % 3], element = elements[at % 4], each = line / element;
        if (3 * each * each * element <= cache) judge(cache, line, element);
    }
    a = array(N * N), b = array(N * N), c = array(N * N);
    size_t best = side(8 << 10, 64, 8);
    COUNTED("a product in squares of half that side", product(best / 2));
    COUNTED("a product in your squares", product(best));
    COUNTED("a product in squares of twice that side", product(2 * best));
}
