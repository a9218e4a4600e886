/* What the programs of all tasks share. A program calls the student's function and compares its results.
 *
 * It reads a key from standard input, and writes into the file `result` the key, what it came to, what it
 * found, a hint, and misses of its own, each with a 0 after it. Counts of its regions are in its record. */
#include <papi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* In the middle of a page, so that they are in none of the first sets of a cache. */
static struct {
    char unused[2048];
    uint64_t seed, misses;
    int events;
    char key[40], facts[1000];
} own __attribute__((aligned(4096)));

static _Noreturn void end(const char *state, const char *found, const char *hint) {
    FILE *file = fopen("result", "w");
    if (file) {
        fprintf(file, "%s%c%s%c%s%c%s%c%llu%c", own.key, 0, state, 0, found, 0, hint, 0, (unsigned long long)own.misses, 0);
        fclose(file);
    }
    exit(0);
}

/* A panic of a function in Rust. */
_Noreturn void failed(const char *text) { end("panic", text, ""); }

__attribute__((format(printf, 2, 3))) static inline _Noreturn void wrong(const char *hint, const char *format, ...) {
    char text[1000];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    end("wrong", text, hint);
}

/* Adds a sentence for students whose function is right. */
__attribute__((format(printf, 1, 2))) static inline void fact(const char *format, ...) {
    size_t used = strlen(own.facts);
    va_list values;
    va_start(values, format);
    if (used > 0) own.facts[used++] = '\n';
    vsnprintf(own.facts + used, sizeof own.facts - used, format, values);
}

/* Random bits (SplitMix64) that depend on the student's file. */
static inline uint64_t bits(uint64_t at) {
    uint64_t x = own.seed + (at + 1) * 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/* Values of elements: whole numbers, so that sums are exact. */
static inline double value(uint64_t at) { return bits(at) % 10007; }

enum { PAGE = 4096 };

/* Elements at the end of a page: the pages before and after them may not be used. What is left of the first
 * page is not a number. */
static inline double *array(size_t count) {
    size_t bytes = (count * sizeof(double) + PAGE - 1) / PAGE * PAGE;
    char *start = mmap(NULL, bytes + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED || mprotect(start + PAGE, bytes, PROT_READ | PROT_WRITE)) abort();
    double *x = (double *)(start + PAGE + bytes) - count;
    for (double *before = (double *)(start + PAGE); before < x; before++) *before = __builtin_nan("");
    return x;
}

static inline void in_bounds(const double *x, const char *name) {
    for (const double *before = x; (uintptr_t)before % PAGE != 0;) {
        before--;
        if (*before == *before) wrong("Which indices do the loops reach?", "an element before the first one of %s was written", name);
    }
}

/* Leaves nothing of the program's data in caches of up to 16 KiB. */
static inline void evict(void) {
    static volatile char other[1 << 15];
    for (size_t i = 0; i < sizeof other; i += 32) other[i] = 0;
}

#define COUNTED(region, statement)   \
    do {                             \
        evict();                     \
        PAPI_hl_region_begin(region); \
        statement;                   \
        PAPI_hl_region_end(region);  \
    } while (0)

void prepare(void) __attribute__((weak));
static void check(void);

int main(void) {
    unsigned long long seed;
    if (scanf("%39s %llu", own.key, &seed) != 2) return 1;
    own.seed = seed;
    if (prepare) prepare();
    check();
    end("passed", own.facts, "");
}
