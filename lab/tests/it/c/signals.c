/* Threads that a timer interrupts 5000 times a second, with handlers that are counted too, and that
   leave by longjmp sometimes. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

enum { THREADS = 4, TIMES = 3000000 };
static volatile long ticks;
static volatile long counts[THREADS][8];
static int touched[512];

static void tick(int signal) {
    ticks += signal;
    for (int at = 0; at < 512; at++)
        touched[at]++;
}

static void *work(void *own) {
    for (int time = 0; time < TIMES; time++)
        counts[(long)own][0]++;
    return own;
}

static sigjmp_buf place;
static void leave(int signal) { siglongjmp(place, signal); }

int main(void) {
    pthread_t threads[THREADS];
    struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART}, old;
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGALRM, NULL, &old);
    setitimer(ITIMER_REAL, &often, NULL);
    for (long number = 0; number < THREADS; number++)
        pthread_create(&threads[number], NULL, work, (void *)number);
    for (int number = 0; number < THREADS; number++)
        pthread_join(threads[number], NULL);
    setitimer(ITIMER_REAL, &never, NULL);
    int is_default = signal(SIGTERM, SIG_DFL) == SIG_DFL && signal(SIGUSR1, leave) == SIG_DFL;
    for (volatile int times = 0; times < 1000; times++)
        if (!sigsetjmp(place, 1))
            raise(SIGUSR1);
    printf("%s\n", is_default && old.sa_handler == tick && counts[3][0] == TIMES ? "same" : "other");
    return 0;
}
