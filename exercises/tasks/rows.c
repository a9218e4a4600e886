#include <stddef.h>

/* The sum of all elements. */
double sum(size_t rows, size_t cols, const double x[rows][cols]) {
    double sum = 0;
    for (size_t j = 0; j < cols; j++)
        for (size_t i = 0; i < rows; i++)
            sum += x[i][j];
    return sum;
}
