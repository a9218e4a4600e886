#include "check.h"

void scale_and_add(size_t n, const double *a, double *b, double *c);

enum { N = 4000 };

static void check(void) {
    double *x[3] = {array(N), array(N), array(N)};
    for (size_t i = 0; i < N; i++) {
        x[0][i] = value(i);
        x[1][i] = x[2][i] = -1;
    }
    COUNTED("both loops", scale_and_add(N, x[0], x[1], x[2]));
    for (int which = 0; which < 3; which++) {
        const char *name[] = {"a", "b", "c"};
        in_bounds(x[which], name[which]);
        for (size_t i = 0; i < N; i++) {
            double right = (which + 1) * value(i);
            if (x[which][i] != right)
                wrong("b[i] is twice a[i], c[i] the sum of both; a does not change.", "%s[%zu] is %g, and must be %g",
                      name[which], i, x[which][i], right);
        }
    }
}
