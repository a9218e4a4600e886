/* 3000 threads, one after the other; prints the largest memory of the process in KiB. */
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>

static int list[1000];

static void *work(void *nothing) {
    for (int at = 0; at < 1000; at++)
        list[at]++;
    return nothing;
}

int main(void) {
    struct rusage usage;
    for (int number = 0; number < 3000; number++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, NULL))
            return 1;
        pthread_join(thread, NULL);
    }
    getrusage(RUSAGE_SELF, &usage);
    printf("%ld\n", usage.ru_maxrss);
    return list[7] != 3000;
}
