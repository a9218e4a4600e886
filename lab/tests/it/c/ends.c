/* Programs that end within a region, in the way that is asked for. */
#include <papi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int array[1 << 12];

static void *crash(void *none) {
    *(volatile int *)8 = 1;
    return none;
}

int main(int count, char **words) {
    const char *how = count > 1 ? words[1] : "";
    int set = PAPI_NULL;
    long long value[2];
    PAPI_library_init(PAPI_VER_CURRENT);
    PAPI_create_eventset(&set);
    if (!strcmp(how, "cycles")) {
        int code = PAPI_add_event(set, PAPI_TOT_CYC);
        printf("%d\n", code);
        if (code != PAPI_OK)
            return 3;
    }
    PAPI_add_event(set, PAPI_SR_INS);
    PAPI_start(set);
    for (int at = 0; at < 1 << 12; at++)
        array[at] = at;
    if (!strcmp(how, "exit"))
        exit(4);
    if (!strcmp(how, "quick"))
        _exit(5);
    if (!strcmp(how, "twice")) {
        pid_t own = getpid();
        alarm(60);
        if (fork() == 0) {
            kill(own, SIGTERM);
            kill(own, SIGTERM);
            return 0;
        }
        for (;;)
            pause();
    }
    if (!strcmp(how, "late"))
        raise(SIGALRM);
    if (!strcmp(how, "crash"))
        crash(NULL);
    if (!strcmp(how, "crashes")) {
        pthread_t threads[8];
        for (int at = 0; at < 8; at++)
            pthread_create(&threads[at], NULL, crash, NULL);
        pause();
    }
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "fork")) {
        if (fork() == 0) {
            array[0] = 1;
            return 0;
        }
        wait(NULL);
    }
    if (!strcmp(how, "menu")) {
        int choice = 0;
        if (scanf("%d", &choice) == 1)
            printf("choice %d\n", choice);
    }
    if (!strcmp(how, "high"))
        exit(6 + PAPI_start_counters((int[]){PAPI_SR_INS}, 1));
    PAPI_stop(set, value);
    printf("%lld\n", value[0]);
    return 0;
}
