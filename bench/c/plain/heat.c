/* heat.c: the heat equation of apps/heat in three dimensions, by explicit steps, on one core:
 * two copies of all cells, of which a step reads one and writes the other. Half a wave along
 * each axis at the beginning, cold walls.
 *
 * usage: heat CELLS STEPS
 *
 * CELLS along each edge. Prints the time, and fails where a cell has not decayed as it must. */
#include "plain.h"

#include <math.h>
#include <stddef.h>

static size_t at(size_t line, int x, int y, int z)
{
    return ((size_t)(z + 1) * line + (size_t)(y + 1)) * line + (size_t)(x + 1);
}

/* step computes a cube of n cells along each edge, with a rim around it. */
static void step(double *restrict to, const double *restrict from, int n, double own, double beside)
{
    size_t line = (size_t)n + 2, layer = line * line;
    for (int z = 0; z < n; z++)
        for (int y = 0; y < n; y++) {
            const double *u = from + at(line, 0, y, z);
            double *v = to + at(line, 0, y, z);
            for (int x = 0; x < n; x++)
                v[x] = own * u[x] + beside * (u[x - 1] + u[x + 1] + u[x - (ptrdiff_t)line] + u[x + (ptrdiff_t)line] +
                                              u[x - (ptrdiff_t)layer] + u[x + (ptrdiff_t)layer]);
        }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1), steps = argument(argc, argv, 2);
    size_t line = (size_t)n + 2;
    double *u = allocate_zeros(line * line * line, sizeof *u), *next = allocate_zeros(line * line * line, sizeof *next);
    double *sine = allocate_zeros((size_t)n, sizeof *sine), beside = 1. / 7, own = 1 - 6 * beside;
    for (int i = 0; i < n; i++)
        sine[i] = sin(M_PI * (i + 1) / (n + 1));
    for (int z = 0; z < n; z++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++)
                u[at(line, x, y, z)] = sine[x] * sine[y] * sine[z];
    double began = seconds();
    for (int i = 0; i < steps; i++) {
        step(next, u, n, own, beside);
        double *swap = u;
        u = next;
        next = swap;
    }
    double took = seconds() - began, half = sin(M_PI / 2 / (n + 1));
    double left = pow(1 - 12 * beside * half * half, steps), worst = 0;
    for (int z = 0; z < n; z++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++)
                worst = fmax(worst, fabs(u[at(line, x, y, z)] - left * sine[x] * sine[y] * sine[z]));
    if (!(worst <= 0x1p-52 * (4. * steps + 8)))
        fail("a cell has not decayed as it must");
    printf("time %.6g s\n", took);
    free(sine);
    free(next);
    free(u);
    return 0;
}
