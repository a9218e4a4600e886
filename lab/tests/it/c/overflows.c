/* Two events of one set overflow; handlers ask PAPI which one it was, and read the set. Ends with 77
 * where the kernel counts no page faults. */
#include <papi.h>
#include <stdio.h>
#include <sys/mman.h>

enum { PAGES = 100, PAGE = 1 << 16 };

static int calls[2], wrong;

static void handler(int set, void *address, long long events, void *context) {
    int which[2] = {-1, -1}, count = 2;
    long long now[2];
    (void)address, (void)context;
    if (PAPI_get_overflow_event_index(set, events, which, &count) || count != 1 || PAPI_read(set, now))
        wrong++;
    else
        calls[which[0]]++;
}

int main(void) {
    int set = PAPI_NULL;
    long long values[2];
    PAPI_library_init(PAPI_VER_CURRENT);
    PAPI_create_eventset(&set);
    if (PAPI_add_named_event(set, "page-faults") || PAPI_add_named_event(set, "minor-faults"))
        return 77;
    int codes[2], count = 2;
    PAPI_list_events(set, codes, &count);
    for (int run = 0; run < 2; run++) {
        char *fresh = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        madvise(fresh, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE);
        int second = run == 0 ? 25 : 0; /* in the second run the second event has no handler */
        if (PAPI_overflow(set, codes[0], 10, 0, handler) || PAPI_overflow(set, codes[1], second, 0, handler))
            return 1;
        if (PAPI_start(set))
            return 77;
        for (int page = 0; page < PAGES; page++)
            fresh[(size_t)page * PAGE] = 1;
        if (PAPI_stop(set, values) || values[0] < PAGES)
            return 2;
        printf("%d %d %d\n", calls[0], calls[1], wrong);
    }
    return 0;
}
