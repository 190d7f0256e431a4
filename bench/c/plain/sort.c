/* sort.c: sorts the numbers of apps/sort, uniformly distributed, on one core.
 *
 * usage: sort qsort|radix NUMBERS
 *
 * qsort is the C library's; radix goes by one byte after the other, from the
 * lowest on. Prints the time and the checksum of apps/sort. */
#include "plain.h"

#include <string.h>

static int ascending(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

/* radix_sort leaves the sorted keys in keys; others is room for as many. */
static void radix_sort(uint64_t *keys, uint64_t *others, size_t n)
{
    static size_t counts[8][256];
    for (size_t i = 0; i < n; i++)
        for (int digit = 0; digit < 8; digit++)
            counts[digit][keys[i] >> 8 * digit & 255]++;
    for (int digit = 0; digit < 8; digit++) {
        size_t place = 0;
        for (int byte = 0; byte < 256; byte++) {
            size_t count = counts[digit][byte];
            counts[digit][byte] = place;
            place += count;
        }
        for (size_t i = 0; i < n; i++)
            others[counts[digit][keys[i] >> 8 * digit & 255]++] = keys[i];
        uint64_t *swap = keys;
        keys = others;
        others = swap;
    }
}

/* key sorts like the number: those here are not negative. */
static uint64_t key(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits | (uint64_t)1 << 63;
}

int main(int argc, char **argv)
{
    const char *by = argc > 1 ? argv[1] : "";
    size_t n = (size_t)argument(argc, argv, 2);
    if (strcmp(by, "qsort") && strcmp(by, "radix"))
        fail("sort by qsort or radix");
    uint64_t *keys = allocate_zeros(n, sizeof *keys), *room = allocate_zeros(n, sizeof *room);
    uint64_t seed = mix(mix(1)), sum = 0;
    for (size_t i = 0; i < n; i++)
        keys[i] = key(uniform(seed + 2 * i));
    double began = seconds();
    if (!strcmp(by, "qsort"))
        qsort(keys, n, sizeof *keys, ascending);
    else
        radix_sort(keys, room, n);
    printf("time %.6g s\n", seconds() - began);
    for (size_t i = 0; i < n; i++)
        sum += mix(keys[i] ^ mix(i));
    printf("checksum %016llx\n", (unsigned long long)sum);
    free(room);
    free(keys);
    return 0;
}
