#include "check.h"

size_t place(size_t particle, size_t field, size_t particles);

enum { FIELDS = 8, MOST = 300 };

static volatile double *data;

/* A loop over fields `first` up to `end` of all particles. */
static void use(size_t n, size_t first, size_t end) {
    for (size_t particle = 0; particle < n; particle++)
        for (size_t field = first; field < end; field++) (void)data[place(particle, field, n)];
}

static void of(size_t n, const char *one, const char *all) {
    int user[FIELDS * MOST];
    for (size_t at = 0; at < FIELDS * n; at++) user[at] = -1;
    for (size_t at = 0; at < FIELDS * n; at++) {
        size_t particle = at / FIELDS, field = at % FIELDS, found = place(particle, field, n);
        if (found >= FIELDS * n)
            wrong("All fields of all particles fill 8 x particles places: what is the largest result?",
                  "%zu particles: field %zu of particle %zu is in place %zu, and there are places 0 to %zu", n, field, particle, found, FIELDS * n - 1);
        if (user[found] >= 0)
            wrong("Each field is an array of its own. Where does the array of field 1 begin?",
                  "%zu particles: field %zu of particle %zu is in place %zu, where field %d of particle %d is", n, field, particle, found,
                  user[found] % FIELDS, user[found] / FIELDS);
        user[found] = at;
    }
    for (size_t field = 0; field < FIELDS; field++) COUNTED(one, use(n, field, field + 1));
    COUNTED(all, use(n, 0, FIELDS));
}

static void check(void) {
    data = array(FIELDS * MOST);
    of(100, "each field of 100 particles", "all fields of 100 particles");
    of(300, "each field of 300 particles", "all fields of 300 particles");
}
