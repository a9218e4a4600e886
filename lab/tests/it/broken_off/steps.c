/* Before the C library: counts a program's changes of files and folders, from the
   first one in the folder of the staged report on, and sends it a signal before the
   STEP-th. With NO_EXCHANGE two folders cannot be exchanged. The steps' names go to
   the file STEPS when the program ends. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int begun, count;
static char names[1 << 16];

static void step(const char *name, const char *path) {
    begun |= path && strstr(path, "/.unfinished/next") != NULL;
    if (!begun) return;
    const char *at = getenv("STEP"), *by = getenv("BY");
    strncat(names, name, sizeof names - strlen(names) - 2);
    strcat(names, "\n");
    if (at && ++count == atoi(at)) kill(getpid(), by ? atoi(by) : SIGKILL);
}

__attribute__((destructor)) static void told(void) {
    FILE *file = getenv("STEPS") ? fopen(getenv("STEPS"), "w") : NULL;
    if (file) {
        fputs(names, file);
        fclose(file);
    }
}

#define REAL(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name))

int mkdir(const char *path, mode_t mode) {
    step("mkdir", path);
    return REAL(int, mkdir, const char *, mode_t)(path, mode);
}

int rename(const char *old, const char *new) {
    step("rename", old);
    return REAL(int, rename, const char *, const char *)(old, new);
}

int linkat(int from, const char *old, int to, const char *new, int flags) {
    step("linkat", old);
    return REAL(int, linkat, int, const char *, int, const char *, int)(from, old, to, new, flags);
}

int chmod(const char *path, mode_t mode) {
    step("chmod", path);
    return REAL(int, chmod, const char *, mode_t)(path, mode);
}

int unlink(const char *path) {
    step("unlink", path);
    return REAL(int, unlink, const char *)(path);
}

int unlinkat(int folder, const char *path, int flags) {
    step("unlinkat", path);
    return REAL(int, unlinkat, int, const char *, int)(folder, path, flags);
}

ssize_t write(int file, const void *bytes, size_t size) {
    if (file > 2) step("write", NULL);
    return REAL(ssize_t, write, int, const void *, size_t)(file, bytes, size);
}

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if (flags & O_CREAT) step("open", path);
    return REAL(int, open64, const char *, int, ...)(path, flags, mode);
}

long syscall(long number, ...) {
    long a[6];
    va_list rest;
    va_start(rest, number);
    for (int at = 0; at < 6; at++) a[at] = va_arg(rest, long);
    va_end(rest);
    if (number == SYS_renameat2) {
        step("exchange", (const char *)a[1]);
        if (getenv("NO_EXCHANGE")) {
            errno = EINVAL;
            return -1;
        }
    }
    return REAL(long, syscall, long, ...)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
