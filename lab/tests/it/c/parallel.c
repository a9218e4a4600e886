/* Threads that fill, and add up, a part each. */
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, PART = 5000 };
static int parts[THREADS][PART];

static void *work(void *own) {
    int *part = own;
    long sum = 0;
    for (int i = 0; i < PART; i++)
        part[i] = i;
    for (int i = 0; i < PART; i++)
        sum += part[i];
    return (void *)sum;
}

int main(void) {
    pthread_t threads[THREADS];
    long total = 0;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, parts[i]);
    for (int i = 0; i < THREADS; i++) {
        void *sum;
        pthread_join(threads[i], &sum);
        total += (long)sum;
    }
    printf("%ld\n", total);
    return 0;
}
