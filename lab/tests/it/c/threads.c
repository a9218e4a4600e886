/* Threads that walk one array each; each counts its own accesses. One more is still there when the
   program ends, as those of OpenMP are. */
#include <papi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 3, BYTES = 1 << 16 };
char array[THREADS][BYTES] __attribute__((aligned(4096)));
static long long counted[THREADS][2];

static void *walk(void *own) {
    int number = (int)(long)own, set = PAPI_NULL, events[] = {PAPI_L1_DCM, PAPI_SR_INS};
    PAPI_create_eventset(&set);
    PAPI_add_events(set, events, 2);
    const int own_set = set;
    PAPI_start(own_set);
    for (int pass = 0; pass <= number; pass++)
        for (int at = 0; at < BYTES; at += 64)
            array[number][at] = 1;
    PAPI_stop(own_set, counted[number]);
    return NULL;
}

char parked[BYTES] __attribute__((aligned(4096)));
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_parked;

static void *park(void *nothing) {
    for (int at = 0; at < BYTES; at += 64)
        parked[at] = 1;
    pthread_mutex_lock(&lock);
    is_parked = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    for (;;)
        pause();
    return nothing;
}

int main(void) {
    pthread_t threads[THREADS], last;
    PAPI_library_init(PAPI_VER_CURRENT);
    PAPI_thread_init((unsigned long (*)(void))pthread_self);
    for (long number = 0; number < THREADS; number++)
        pthread_create(&threads[number], NULL, walk, (void *)number);
    for (int number = 0; number < THREADS; number++)
        pthread_join(threads[number], NULL);
    pthread_create(&last, NULL, park, NULL);
    pthread_mutex_lock(&lock);
    while (!is_parked)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    for (int number = 0; number < THREADS; number++)
        printf("%lld %lld\n", counted[number][0], counted[number][1]);
    return 0;
}
