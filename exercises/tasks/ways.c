#include <stddef.h>

unsigned long misses(void);

/* The ways of the machine's cache. `volatile`: the compiler must not leave out a load. */
size_t ways(size_t n, const volatile double x[n]) {
    unsigned long before = misses();
    (void)x[0];
    return misses() - before;
}
