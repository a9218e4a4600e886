/* Mistakes with blocks, which the C library finds, and with an array, which the processor finds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int array[16];

int main(int count, char **words) {
    const char *how = count > 1 ? words[1] : "";
    int *block = malloc(24 * sizeof *block), *other = malloc(24 * sizeof *block);
    if (!strcmp(how, "behind"))
        for (int at = 0; at < 40; at++)
            block[at] = -1;
    if (!strcmp(how, "wrong"))
        block += 4;
    if (!strcmp(how, "above") || !strcmp(how, "below"))
        for (volatile int *at = array;; at += !strcmp(how, "above") ? 1 : -1)
            *at = -1;
    free(block);
    if (!strcmp(how, "twice"))
        free(block);
    free(other);
    printf("done\n");
    return 0;
}
