/* A structure of arrays. A simulation has many particles, each with 8 numbers (fields): x, y, z,
 * three speeds, mass, charge. A loop over all particles uses x alone. With one record after the
 * other, as in an array of structures, each x is in a line of its own.
 *
 * Choose another place for the numbers: which of the 8 * particles elements holds a field of a
 * particle? No two numbers may be in one place. The check counts the misses of loops over one
 * field, and those of a loop over all fields. */
#include <stddef.h>

/* The index of field `field` (0 to 7) of particle `particle`, of `particles` particles. */
size_t place(size_t particle, size_t field, size_t particles) {
    return particle * 8 + field;
}
