#include "check.h"

size_t victim(size_t n, const uint64_t *filled, const uint64_t *used, const uint64_t *uses, uint64_t chance);

/* 8 KiB in lines of 64 bytes. */
enum { SETS = 16, WAYS = 8, MOST = 24000 };

struct set { uint64_t line[WAYS], next[WAYS], filled[WAYS], used[WAYS], uses[WAYS]; size_t count; };

/* The lines that a program uses, and when each of them is used next. */
static uint64_t lines[MOST], next[MOST];
static size_t count;

static size_t yours(const struct set *set, size_t now) {
    size_t way = victim(WAYS, set->filled, set->used, set->uses, bits(now));
    if (way >= WAYS) wrong("Ways are counted from 0 to 7.", "the policy returned %zu, and there are %d ways", way, WAYS);
    return way;
}

/* The least recently used line. */
static size_t lru(const struct set *set, size_t now) {
    size_t best = 0;
    for (size_t way = 1; way < WAYS; way++)
        if (set->used[way] < set->used[best]) best = way;
    return (void)now, best;
}

/* The line that is used last in the future (Belady, IBM Systems Journal 5, 1966). */
static size_t belady(const struct set *set, size_t now) {
    size_t last = 0;
    for (size_t way = 1; way < WAYS; way++)
        if (set->next[way] > set->next[last]) last = way;
    return (void)now, last;
}

static uint64_t misses(size_t (*policy)(const struct set *, size_t)) {
    static struct set sets[SETS];
    memset(sets, 0, sizeof sets);
    uint64_t missed = 0;
    for (size_t now = 0; now < count; now++) {
        struct set *set = &sets[lines[now] % SETS];
        size_t way = 0;
        while (way < set->count && set->line[way] != lines[now]) way++;
        if (way == set->count) {
            missed++;
            if (set->count < WAYS) set->count++;
            else way = policy(set, now);
            set->line[way] = lines[now];
            set->filled[way] = now + 1;
            set->uses[way] = 0;
        }
        set->next[way] = next[now];
        set->used[way] = now + 1;
        set->uses[way]++;
    }
    return missed;
}

static void of(const char *name, double share, const char *hint) {
    static uint64_t after[MOST];
    memset(after, 255, sizeof after);
    for (size_t now = count; now-- > 0; after[lines[now]] = now) next[now] = after[lines[now]];
    uint64_t found = misses(yours), with_lru = misses(lru), best = misses(belady), most = share * with_lru;
    own.misses += found;
    if (found > most)
        wrong(hint, "%s: %llu misses in %zu accesses, LRU %llu, best possible policy %llu; at most %llu are allowed", name, (unsigned long long)found,
              count, (unsigned long long)with_lru, (unsigned long long)best, (unsigned long long)most);
    fact("%s: %llu misses in %zu accesses, LRU %llu, best possible policy %llu", name, (unsigned long long)found, count,
         (unsigned long long)with_lru, (unsigned long long)best);
}

static void check(void) {
    /* The same random numbers for all. */
    own.seed = 1;
    for (int round = 0; round < 40; round++)
        for (size_t line = 0; line < 160; line++) lines[count++] = line;
    of("a walk round 10 KiB", 2.0 / 3, "LRU always evicts the line that is used next. Ten lines take turns in a set of eight: how could seven of them stay?");
    /* The lines of a product of 40 rows in blocks of 16: each element of a, then rows of b and c. */
    enum { N = 40, B = 16 };
    count = 0;
    for (size_t ii = 0; ii < N; ii += B)
        for (size_t kk = 0; kk < N; kk += B)
            for (size_t jj = 0; jj < N; jj += B)
                for (size_t i = ii; i < ii + B && i < N; i++)
                    for (size_t k = kk; k < kk + B && k < N; k++)
                        for (size_t j = jj; j < jj + B && j < N; j += 8) {
                            lines[count++] = (i * N + k) / 8;
                            lines[count++] = (N * N + k * N + j) / 8;
                            lines[count++] = (2 * N * N + i * N + j) / 8;
                        }
    of("a product in blocks", 1.25, "Lines that stay for ever waste space when the program moves on: a line that is no longer used must be evicted at some time.");
}
