/* Counts a loop of 1000 passes: operations of doubles and floats, then the others. */
#include <papi.h>
#include <stdio.h>

enum { COUNT = 13 };
static double doubles[1000];
static float floats[1000];

int main(void) {
    int set = PAPI_NULL;
    int codes[COUNT] = {PAPI_FP_OPS, PAPI_FP_INS, PAPI_DP_OPS,  PAPI_SP_OPS,  PAPI_VEC_INS, PAPI_TOT_INS, PAPI_BR_INS,
                        PAPI_BR_CN,  PAPI_LD_INS, PAPI_SR_INS, PAPI_LST_INS, PAPI_TOT_CYC, PAPI_L1_ICM};
    long long values[COUNT];
    PAPI_library_init(PAPI_VER_CURRENT);
    PAPI_create_eventset(&set);
    for (int event = 0; event < COUNT; event++) {
        int status = PAPI_add_event(set, codes[event]);
        if (status != PAPI_OK) {
            printf("%d\n", status);
            return 3;
        }
    }
    PAPI_start(set);
    for (int at = 0; at < 1000; at++) {
        doubles[at] = doubles[at] * 3 + 1;
        if (at != 5000)
            floats[at] = floats[at] * 3 + 1;
        __asm__ volatile("cmpl $0, %0\n\tjne 1f\n\tnop\n1:" : : "m"(set) : "cc");
    }
    PAPI_stop(set, values);
    for (int event = 0; event < COUNT; event++)
        printf("%lld ", values[event]);
    printf("\n");
    return 0;
}
