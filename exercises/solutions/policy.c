/* A model answer. */
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
    return chance % n;
}
