/* A replacement policy of your own. A set of the cache is full and a new line is fetched: which
 * line is evicted?
 *
 * The least recently used one (LRU), as in most caches? Repeated walks through an array that is
 * a little larger than the cache then miss in every line: LRU always evicts the line that is
 * used next. Write a policy that retains part of such an array, and is nearly as good as LRU
 * where LRU is good (a product in blocks). The check counts the misses of both programs, and
 * those of the best possible policy, which knows the future.
 *
 * A policy may be random: `chance` is a new random number in each call. */
#include <stddef.h>
#include <stdint.h>

/* A line in a full set. Times are numbers of the cache's accesses. */
struct way {
    uint64_t filled; /* when it was fetched */
    uint64_t used;   /* when it was last used */
    uint64_t uses;   /* how often it was used since it was fetched */
};

/* The index in `ways` of the line to evict; all n ways are full. */
size_t victim(size_t n, const struct way ways[n], uint64_t chance) {
    return 0;
}
