#include <stddef.h>

unsigned long misses(void);

size_t ways(size_t n, const volatile double x[n]) {
    for (size_t k = 1; k <= 17; k++) {
        unsigned long before = 0;
        for (int round = 0; round < 2; round++) {
            before = misses();
            for (size_t line = 0; line < k; line++)
                (void)x[512 * line];
        }
        if (misses() > before)
            return k - 1;
    }
    return 17;
}
