#include <stddef.h>
#include <stdint.h>

size_t victim(size_t n, const uint64_t filled[n], const uint64_t used[n], const uint64_t uses[n], uint64_t chance) {
    return chance % n;
}
