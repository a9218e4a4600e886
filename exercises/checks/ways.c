#include "check.h"

size_t ways(size_t n, const double *x);

enum { N = 32 * 512 };

unsigned long misses(void) {
    long long found[1];
    PAPI_read(own.events, found);
    return found[0];
}

static void check(void) {
    double *x = array(N);
    PAPI_library_init(PAPI_VER_CURRENT);
    own.events = PAPI_NULL;
    if (PAPI_create_eventset(&own.events) || PAPI_add_event(own.events, PAPI_L1_DCM) || PAPI_start(own.events)) abort();
    unsigned long before = misses();
    size_t found;
    COUNTED("ways", found = ways(N, x));
    unsigned long missed = misses() - before;
    unsigned long right = PAPI_get_hardware_info()->mem_hierarchy.level[0].cache[0].associativity;
    if (found == right) return;
    const char *hint = "Try each k, 1, 2, 3 ...: the ways need not be a power of two. Count the misses of the second round alone.";
    if (missed < right)
        hint = "A set must be filled with as many lines as there are ways, and one more. Load k elements, 512 apart, in two rounds, for k = 1, 2, 3 ...";
    else if (found == right + 1)
        hint = "k elements miss in the second round: so k are one too many.";
    else if (found > right)
        hint = "Count the misses of the second round alone: call misses() before and after it. The first round misses in any case.";
    wrong(hint, "%zu for a cache of %lu ways", found, right);
}
