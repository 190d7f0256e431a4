/* openblas.h: OpenBLAS with the best kernels that the processor can run.
 *
 * OpenBLAS chooses its kernels by the model of the processor. A release that is older
 * than the processor takes it for an old one (0.3.21 has taken some with AVX-512 for a
 * Prescott, whose kernels know SSE 3) and is then several times slower than it could be:
 * a comparison with it would flatter whatever stands beside it. */
#ifndef MIGBSP_BENCH_OPENBLAS_H
#define MIGBSP_BENCH_OPENBLAS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

char *openblas_get_config(void);
char *openblas_get_corename(void);

/* kernel_level orders cores by the vectors of their kernels: 3 is AVX-512, 2 AVX2, 1 AVX. */
static int kernel_level(const char *core)
{
    static const char *const known[] = {
        "1sandybridge", "1bulldozer", "1piledriver", "1steamroller",
        "2haswell", "2zen", "2excavator",
        "3skylakex", "3cooperlake", "3sapphirerapids",
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcasecmp(known[i] + 1, core))
            return known[i][0] - '0';
    return 0;
}

/* best_core is the name of the core whose kernels use the longest vectors that the
 * processor has, NULL if that is for OpenBLAS to know. */
static const char *best_core(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return "SKYLAKEX";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return __builtin_cpu_is("amd") ? "ZEN" : "HASWELL";
    if (__builtin_cpu_supports("avx"))
        return "SANDYBRIDGE";
#endif
    return NULL;
}

/* use_best_kernels is called first in main, before MPI starts: where OpenBLAS has chosen
 * kernels with shorter vectors than the processor has, it starts the program again with
 * OPENBLAS_CORETYPE, which is read when the library is loaded. What a user has set stays. */
static void use_best_kernels(char **argv)
{
    const char *best = best_core();
    if (!best || getenv("OPENBLAS_CORETYPE") || kernel_level(openblas_get_corename()) >= kernel_level(best))
        return;
    setenv("OPENBLAS_DETECTED", openblas_get_corename(), 1);
    setenv("OPENBLAS_CORETYPE", best, 1);
    execv("/proc/self/exe", argv);
    fprintf(stderr, "OpenBLAS uses kernels for %s: set OPENBLAS_CORETYPE=%s\n", openblas_get_corename(), best);
}

/* kernels describes the library in use, as in "OpenBLAS 0.3.21, SkylakeX kernels (it takes
 * the processor for a Prescott)". The text is valid until the next call. */
static const char *kernels(void)
{
    static char text[200];
    char version[40] = "";
    const char *detected = getenv("OPENBLAS_DETECTED");
    sscanf(openblas_get_config(), "OpenBLAS %39s", version);
    int n = snprintf(text, sizeof text, "OpenBLAS %s, %s kernels", version, openblas_get_corename());
    if (detected)
        snprintf(text + n, sizeof text - n, " (it takes the processor for a %s)", detected);
    return text;
}

#endif
