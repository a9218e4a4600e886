// Copies and fills of 3000 bytes, which compilers may make without calls: prints the stores of each.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <papi.h>

struct Block { char bytes[3000]; };

static Block one, other;
static char *volatile seen;
static int set = PAPI_NULL;

template <class Body> static void count(Body body) {
    long long stores;
    PAPI_start(set);
    body();
    PAPI_stop(set, &stores);
    std::printf("%lld ", stores);
}

int main(int argc, char **) {
    PAPI_library_init(PAPI_VER_CURRENT);
    PAPI_create_eventset(&set);
    PAPI_add_event(set, PAPI_SR_INS);
    char *bytes = one.bytes, *others = other.bytes;
    count([&] { std::memset(bytes, argc, 3000); });
    count([&] { std::memcpy(others, bytes, 3000); });
    count([&] { std::fill(bytes, bytes + 3000, char(argc)); });
    count([&] { std::copy(others, others + 3000, bytes); });
    count([&] { Block local = {{char(argc)}}; seen = local.bytes; other = local; });
    std::printf("%d\n", one.bytes[2999] + other.bytes[0]);
    return 0;
}
