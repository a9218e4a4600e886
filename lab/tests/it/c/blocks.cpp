// Blocks of new and of containers, and accesses inside of memcpy and memset.
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>
#include <papi.h>

static const size_t COUNT = 1 << 16;
static char few[2][400];

int main() {
    double *one = new double[COUNT];
    std::vector<double> other(COUNT);
    std::string text;
    for (int letter = 0; letter < 1000; letter++)
        text += 'a';
    int set = PAPI_NULL, events[] = {PAPI_LD_INS, PAPI_SR_INS};
    long long values[2];
    PAPI_library_init(PAPI_VER_CURRENT);
    PAPI_create_eventset(&set);
    PAPI_add_events(set, events, 2);
    PAPI_start(set);
    memset(one, 0, COUNT * sizeof *one);
    memcpy(&other[0], one, COUNT * sizeof *one);
    char *from = few[one[0] != 0], *to = few[one[1] == 0];
    memset(from, 1, 400);
    memcpy(to, from, 400);
    PAPI_stop(set, values);
    std::cout << values[0] << ' ' << values[1] << ' ' << text.size() << ' ' << int(few[1][7]) << std::endl;
    delete[] one;
    return 0;
}
