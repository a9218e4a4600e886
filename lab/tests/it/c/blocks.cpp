// Blocks of new, of a container, and of the C library.
#include <cstdlib>
#include <iostream>
#include <vector>

int main() {
    const size_t COUNT = 1 << 16;
    double *one = new double[COUNT];
    std::vector<double> other(COUNT, 1.0);
    void *place = nullptr;
    double sum = 0;
    if (posix_memalign(&place, 64, COUNT * sizeof(double)))
        return 1;
    double *third = static_cast<double *>(place);
    for (size_t at = 0; at < COUNT; at++)
        one[at] = 0.5;
    for (size_t at = 0; at < COUNT; at++)
        third[at] = 2 * one[at] * other[at];
    for (size_t at = 0; at < COUNT; at++)
        sum += third[at];
    std::cout << sum << std::endl;
    delete[] one;
    free(third);
    return 0;
}
