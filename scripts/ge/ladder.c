/* The scalar rungs of the ladder in C, for comparison with the kit's:
   ladder RUNG SIZE RUNS prints the time of each run and, last, Check. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define AT(i, j) a[(size_t)(i) * n + (j)]

__attribute__((noinline)) static void divide_each_time(double **row, int n)
{
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++)
                row[i][j] = row[i][j] - row[k][j] * (row[i][k] / row[k][k]);
}

__attribute__((noinline)) static void hoisted(double **row, int n)
{
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            double multiplier = row[i][k] / row[k][k];
            for (int j = k + 1; j < n; j++)
                row[i][j] = row[i][j] - row[k][j] * multiplier;
        }
}

__attribute__((noinline)) static void unrolled(double **row, int n)
{
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            double multiplier = row[i][k] / row[k][k];
            int j = k + 1;
            for (; j + 8 <= n; j += 8) {
                row[i][j] = row[i][j] - row[k][j] * multiplier;
                row[i][j + 1] = row[i][j + 1] - row[k][j + 1] * multiplier;
                row[i][j + 2] = row[i][j + 2] - row[k][j + 2] * multiplier;
                row[i][j + 3] = row[i][j + 3] - row[k][j + 3] * multiplier;
                row[i][j + 4] = row[i][j + 4] - row[k][j + 4] * multiplier;
                row[i][j + 5] = row[i][j + 5] - row[k][j + 5] * multiplier;
                row[i][j + 6] = row[i][j + 6] - row[k][j + 6] * multiplier;
                row[i][j + 7] = row[i][j + 7] - row[k][j + 7] * multiplier;
            }
            for (; j < n; j++)
                row[i][j] = row[i][j] - row[k][j] * multiplier;
        }
}

__attribute__((noinline)) static void flat(double *a, int n)
{
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            double multiplier = AT(i, k) / AT(k, k);
            int j = k + 1;
            for (; j + 8 <= n; j += 8) {
                AT(i, j) = AT(i, j) - AT(k, j) * multiplier;
                AT(i, j + 1) = AT(i, j + 1) - AT(k, j + 1) * multiplier;
                AT(i, j + 2) = AT(i, j + 2) - AT(k, j + 2) * multiplier;
                AT(i, j + 3) = AT(i, j + 3) - AT(k, j + 3) * multiplier;
                AT(i, j + 4) = AT(i, j + 4) - AT(k, j + 4) * multiplier;
                AT(i, j + 5) = AT(i, j + 5) - AT(k, j + 5) * multiplier;
                AT(i, j + 6) = AT(i, j + 6) - AT(k, j + 6) * multiplier;
                AT(i, j + 7) = AT(i, j + 7) - AT(k, j + 7) * multiplier;
            }
            for (; j < n; j++)
                AT(i, j) = AT(i, j) - AT(k, j) * multiplier;
        }
}

#ifdef __x86_64__
#include <immintrin.h>

#define PAIR(d)                                                                             \
    _mm_storeu_pd(&AT(i, j + (d)), _mm_sub_pd(_mm_loadu_pd(&AT(i, j + (d))),                \
                                              _mm_mul_pd(_mm_loadu_pd(&AT(k, j + (d))), multipliers)))
#define QUAD(d)                                                                             \
    _mm256_storeu_pd(&AT(i, j + (d)), _mm256_sub_pd(_mm256_loadu_pd(&AT(i, j + (d))),       \
                                                    _mm256_mul_pd(_mm256_loadu_pd(&AT(k, j + (d))), multipliers)))

__attribute__((noinline)) static void pairs(double *a, int n)
{
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            double multiplier = AT(i, k) / AT(k, k);
            __m128d multipliers = _mm_set1_pd(multiplier);
            int j = k + 1;
            for (; j + 8 <= n; j += 8) {
                PAIR(0);
                PAIR(2);
                PAIR(4);
                PAIR(6);
            }
            for (; j < n; j++)
                AT(i, j) = AT(i, j) - AT(k, j) * multiplier;
        }
}

__attribute__((noinline, target("avx"))) static void quads(double *a, int n)
{
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            double multiplier = AT(i, k) / AT(k, k);
            __m256d multipliers = _mm256_set1_pd(multiplier);
            int j = k + 1;
            for (; j + 16 <= n; j += 16) {
                QUAD(0);
                QUAD(4);
                QUAD(8);
                QUAD(12);
            }
            for (; j < n; j++)
                AT(i, j) = AT(i, j) - AT(k, j) * multiplier;
        }
}
#endif

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    int rung = atoi(argv[1]), n = atoi(argv[2]), runs = atoi(argv[3]);
    double *a = malloc(sizeof(double) * n * n);
    double **row = malloc(sizeof(double *) * n);
    if (!a || !row)
        return 1;
    for (int i = 0; i < n; i++)
        row[i] = a + (size_t)i * n;
    for (int run = 0; run < runs; run++) {
        srand(1);
        for (size_t e = 0; e < (size_t)n * n; e++)
            a[e] = rand();
        double from = now();
        switch (rung) {
        case 1: case 2: divide_each_time(row, n); break;
        case 3: hoisted(row, n); break;
        case 4: unrolled(row, n); break;
        case 5: flat(a, n); break;
#ifdef __x86_64__
        case 6: pairs(a, n); break;
        case 7: quads(a, n); break;
#endif
        default: return 2;
        }
        printf("%.9f\n", now() - from);
    }
    double check = 0;
    for (size_t e = 0; e < (size_t)n * n; e++)
        check += a[e];
    printf("Check: %e \n", check);
    return 0;
}
