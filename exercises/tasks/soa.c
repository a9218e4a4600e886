#include <stddef.h>

/* The index of field `field` (0 to 7) of particle `particle`, of `particles` particles. */
size_t place(size_t particle, size_t field, size_t particles) {
    return particle * 8 + field;
}
