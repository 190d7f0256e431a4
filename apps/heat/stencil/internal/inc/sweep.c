//go:build ckernel

#include "sweep.h"

/* Products are rounded before they are added: gcc does so in standard C (-std=c11), clang
 * where this says so. cgo takes no -ffp-contract=off. */
#pragma STDC FP_CONTRACT OFF

static void line2(double *restrict to, const double *restrict u, long n, long y, double own, double beside)
{
    for (long i = 0; i < n; i++)
        to[i] = own * u[i] + beside * ((u[i - 1] + u[i + 1]) + (u[i - y] + u[i + y]));
}

static void line3(double *restrict to, const double *restrict u, long n, long y, long z, double own, double beside)
{
    for (long i = 0; i < n; i++)
        to[i] = own * u[i] + beside * ((u[i - 1] + u[i + 1]) + (u[i - y] + u[i + y]) + (u[i - z] + u[i + z]));
}

void sweep(double *restrict to, const double *restrict from, long n, long line, long layer, long layers,
           long first, long end, double own, double beside)
{
    if (layers == 0) {
        for (long y = first; y < end; y++) {
            long at = (y + 1) * line + 1;
            line2(to + at, from + at, n, line, own, beside);
        }
        return;
    }
    for (long z = 0; z < layers; z++)
        for (long y = first; y < end; y++) {
            long at = (z + 1) * layer + (y + 1) * line + 1;
            line3(to + at, from + at, n, line, layer, own, beside);
        }
}
