/* Calls the function of a task, and sends its accesses to the model in the other process:
 * the compiler puts a call of one of the __tsan functions before each load and store. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ARRAY_BITS = 24, MOST_ARRAYS = 8, MOST_INTEGERS = 8, BUFFER = 8192 };
enum { ACCESSES = 1, MISSES = 2, END = 3 };

struct way { uint64_t filled, used, uses; };

static unsigned char *arena;
static uint64_t shapes[MOST_ARRAYS][2], integers[MOST_INTEGERS];
static uint64_t buffer[BUFFER + 2];
static size_t buffered;

static void *at(int array) { return arena + ((size_t)array << ARRAY_BITS); }
static size_t rows(int array) { return shapes[array][0]; }
static size_t cols(int array) { return shapes[array][1]; }
static double number(int i) { double x; memcpy(&x, &integers[i], sizeof x); return x; }
static uint64_t bits(double x) { uint64_t b; memcpy(&b, &x, sizeof b); return b; }

/* Without the other process there is nothing to do. */
static void put(const void *from, size_t bytes) {
    const char *next = from;
    while (bytes > 0) {
        ssize_t written = write(0, next, bytes);
        if (written <= 0) _exit(0);
        next += written;
        bytes -= written;
    }
}

static void get(void *to, size_t bytes) {
    char *next = to;
    while (bytes > 0) {
        ssize_t done = read(0, next, bytes);
        if (done <= 0) _exit(0);
        next += done;
        bytes -= done;
    }
}

static uint64_t get_number(void) { uint64_t n; get(&n, sizeof n); return n; }

static void flush(void) {
    if (buffered == 0) return;
    buffer[0] = ACCESSES;
    buffer[1] = buffered;
    put(buffer, (buffered + 2) * sizeof *buffer);
    buffered = 0;
}

static void visit(const void *place, uint64_t bytes, uint64_t store) {
    size_t offset = (const unsigned char *)place - arena;
    /* locals, and what the function allocated, are no part of the task */
    if (offset >= (size_t)MOST_ARRAYS << ARRAY_BITS) return;
    buffer[2 + buffered++] = (uint64_t)offset << 8 | bytes << 1 | store;
    if (buffered == BUFFER) flush();
}

unsigned long misses(void) {
    uint64_t ask = MISSES;
    flush();
    put(&ask, sizeof ask);
    return get_number();
}

/* element by element, however the compiler or the C library copies */
static void visit_range(const void *p, size_t bytes, int store) {
    for (size_t i = 0; i < bytes; i += 8) visit((const char *)p + i, bytes - i < 8 ? bytes - i : 8, store);
}

#define EACH(bytes)                                                          \
    void __tsan_read##bytes(void *p) { visit_range(p, bytes, 0); }           \
    void __tsan_write##bytes(void *p) { visit_range(p, bytes, 1); }          \
    void __tsan_unaligned_read##bytes(void *p) { visit_range(p, bytes, 0); } \
    void __tsan_unaligned_write##bytes(void *p) { visit_range(p, bytes, 1); }
EACH(1) EACH(2) EACH(4) EACH(8) EACH(16)

void __tsan_read_range(void *p, size_t bytes) { visit_range(p, bytes, 0); }
void __tsan_write_range(void *p, size_t bytes) { visit_range(p, bytes, 1); }
void *__tsan_memcpy(void *to, const void *from, size_t n) { visit_range(from, n, 0); visit_range(to, n, 1); return memmove(to, from, n); }
void *__tsan_memmove(void *to, const void *from, size_t n) { return __tsan_memcpy(to, from, n); }
void *__tsan_memset(void *to, int value, size_t n) { visit_range(to, n, 1); return memset(to, value, n); }
void __tsan_func_entry(void *p) { (void)p; }
void __tsan_func_exit(void) {}
void __tsan_init(void) {}

static uint64_t call(void);

int main(void) {
    uint64_t secret = get_number(), count;
    arena = mmap(NULL, (size_t)MOST_ARRAYS << ARRAY_BITS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (arena == MAP_FAILED) return 1;
    while ((count = get_number()) <= MOST_ARRAYS) {
        get(shapes, count * sizeof *shapes);
        get(integers, (get_number() % (MOST_INTEGERS + 1)) * sizeof *integers);
        for (uint64_t i = 0; i < count; i++) get(at(i), rows(i) * cols(i) * 8);
        uint64_t answer[3] = {secret, END, 0};
        answer[2] = call();
        flush();
        put(answer, sizeof answer);
        for (uint64_t i = 0; i < count; i++) put(at(i), rows(i) * cols(i) * 8);
    }
    return 0;
}
