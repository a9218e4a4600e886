#include <stddef.h>

size_t place(size_t particle, size_t field, size_t particles) {
    return field * particles + particle;
}
