/* What compilers make of C: each function is counted line by line, and compared with another counter. */
#include <complex.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 24 };

static int16_t words[N][N], others[N][N], products[N][N];
double numbers[N * N] __attribute__((aligned(64)));
static __thread long own;
static double x = 1, xx[4];
__thread long seen;
static volatile int sink;

static double local(int seed) {
    double a[N][N], b[N][N], c[N][N], sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = i + seed;
            b[i][j] = j;
            c[i][j] = 0; // may be made by rep stos
        }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                c[i][j] += a[i][k] * b[k][j];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum += c[i][j];
    return sum;
}

static int global(int seed) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            words[i][j] = (int16_t)(i + j + seed);
            others[i][j] = (int16_t)(i - j);
        }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                products[i][j] += words[i][k] * others[k][j];
    return products[3][5];
}

static float heap(int n) {
    float *a = malloc(n * sizeof *a), *b = calloc(n, sizeof *b), sum = 0;
    for (int i = 0; i < n; i++)
        a[i] = (float)i;
    for (int i = 0; i < n; i++)
        b[i] += 2 * a[n - 1 - i];
    a = realloc(a, 2 * n * sizeof *a);
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    free(a);
    free(b);
    return sum;
}

static int variable(int n) {
    int list[n], sum = 0;
    for (int i = 0; i < n; i++)
        list[i] = i * i;
    for (int i = n; i-- > 0;)
        sum ^= list[i];
    return sum;
}

struct packed {
    char tag;
    unsigned low : 3, high : 11;
    double value;
} __attribute__((packed));
struct large {
    long parts[25];
};

static struct large filled(struct large from, int by) {
    for (int i = 0; i < 25; i++)
        from.parts[i] += by;
    return from; // may be made by rep movs
}

static long structures(void) {
    struct packed list[20];
    struct large big = {{1, 2, 3}}; // rep stos
    long sum = 0;
    for (int i = 0; i < 20; i++)
        list[i] = (struct packed){(char)i, i & 7u, 100u + i, i};
    for (int i = 0; i < 20; i++)
        sum += list[i].low + list[i].high + (long)list[i].value + list[i].tag;
    big = filled(big, 4); // rep movs
    return sum + filled(big, 5).parts[24]; // rep movs
}

struct node {
    struct node *next;
    int value;
};

static int chase(void) {
    static struct node nodes[101];
    int sum = 0;
    for (int i = 0; i < 101; i++)
        nodes[i] = (struct node){&nodes[(i + 37) % 101], i};
    struct node *at = nodes;
    for (int i = 0; i < 1000; i++, at = at->next)
        sum += at->value;
    return sum;
}

static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

static int choose(const char *text) {
    int sum = 0;
    for (; *text; text++)
        switch (*text) {
        case 'a': sum += 1; break;
        case 'b': sum *= 3; break;
        case 'c': sum ^= 77; break;
        case 'd': sum -= 9; break;
        case 'e': sum <<= 1; break;
        case 'f': sum |= 5; break;
        default: sum++;
        }
    return sum;
}

static int jumps(int n) {
    static void *const places[] = {&&one, &&two, &&end};
    int sum = 0;
again:
    goto *places[n % 3];
one:
    sum += 3;
    n--;
    goto again;
two:
    sum += n;
    n -= 2;
    goto again;
end:
    return sum + n;
}

static int summed(int count, ...) {
    va_list all;
    int sum = 0;
    va_start(all, count);
    while (count-- > 0)
        sum += va_arg(all, int);
    va_end(all);
    return sum;
}

static jmp_buf place;
static void leave(int by) { longjmp(place, by); }

static int far_jumps(void) {
    volatile int times = 0;
    int by = setjmp(place);
    times += by;
    if (times < 20)
        leave(3);
    return times;
}

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static int sorted(void) {
    int list[50];
    for (int i = 0; i < 50; i++)
        list[i] = i * 37 % 50;
    qsort(list, 50, sizeof *list, compare);
    return list[7];
}

static void handle(int signal) { own += signal, seen++; }

static double complex squares(double complex z) {
    for (int i = 0; i < 10; i++)
        z = z * z + 0.25;
    return z;
}

static int assembled(int n) {
    int sum = 0;
    __asm__ volatile("1:\n\taddl %1, %0\n\tdecl %1\n\tjnz 1b" : "+r"(sum), "+r"(n) : : "cc");
    __asm__ volatile("movl %1, %%ecx\n\tincl %0\n\tmovl %%ecx, %1" : "+m"(sum), "+m"(sink) : : "ecx", "cc");
    return sum;
}

/* Names that look like a part of a number. */
static double named(int count) {
    for (int i = 0; i < count; i++) {
        x = x * 0.5 + 1;
        xx[1] += x;
    }
    return xx[1];
}

__attribute__((destructor)) static void last(void) { seen++; }

int main(int count, char **arguments) {
    (void)arguments;
    printf("%g %d %g ", local(count), global(count), heap(300));
    printf("%d %ld %d %d ", variable(90), structures(), chase(), fibonacci(12));
    printf("%d %d %d %d ", choose("abcdefghedcba"), jumps(40), summed(4, 1, 2, 3, 4), far_jumps());
    signal(SIGUSR1, handle);
    for (int i = 0; i < 30; i++)
        raise(SIGUSR1);
    for (int i = 0; i < N * N; i++)
        numbers[i] = i;
    printf("%d %ld %g %d %g\n", sorted(), own + seen, creal(squares(0.1 + 0.2 * I)), assembled(9), numbers[count]);
    printf("%g\n", named(100 + count));
    return 0;
}
