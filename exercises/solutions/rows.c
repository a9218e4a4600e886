#include <stddef.h>

double sum(size_t rows, size_t cols, const double x[rows][cols]) {
    double sum = 0;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            sum += x[i][j];
    return sum;
}
