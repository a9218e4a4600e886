/* The kit's product of 16-bit matrices, with its caches emptied before the region. */
#include <papi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef N
#define N 64
#endif

static int16_t mul1[N][N] __attribute__((aligned(4096)));
static int16_t mul2[N][N] __attribute__((aligned(4096)));
static int16_t res[N][N] __attribute__((aligned(4096)));
char other[64 << 20] __attribute__((aligned(4096)));

static void check(const char *call, int code) {
    if (code < PAPI_OK) {
        fprintf(stderr, "%s: %s\n", call, PAPI_strerror(code));
        exit(1);
    }
}

int main(void) {
    int set = PAPI_NULL, events[] = {PAPI_L1_DCM, PAPI_L2_DCM, PAPI_LD_INS, PAPI_SR_INS};
    long long values[4], sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            mul1[i][j] = (i + j) % 8 + 1;
            mul2[i][j] = (N - i + j) % 8 + 1;
        }
    for (size_t at = 0; at < sizeof other; at += 64)
        sum += other[at];
    check("PAPI_library_init", PAPI_library_init(PAPI_VER_CURRENT));
    check("PAPI_create_eventset", PAPI_create_eventset(&set));
    check("PAPI_add_events", PAPI_add_events(set, events, 4));
    const int own = set; /* in a register: reading it is no access of the region */
    check("PAPI_start", PAPI_start(own));
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                res[i][j] += mul1[i][k] * mul2[k][j];
    check("PAPI_stop", PAPI_stop(own, values));
    for (int event = 0; event < 4; event++)
        printf("%lld\n", values[event]);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum += res[i][j];
    printf("%lld\n", sum);
    return 0;
}
