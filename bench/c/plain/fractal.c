/* fractal.c: the search of apps/fractal in a grey picture, on one core: each block of
 * 8 x 8 pixels with each of as many domains in all eight isometries.
 *
 * usage: fractal PICTURE.pgm
 *
 * Prints the time and what all blocks gain: the sum of Gain of apps/fractal/match. */
#include "plain.h"

#include <math.h>

enum { SIDE = 8, PIXELS = SIDE * SIDE, ISOMETRIES = 8, MOST_CONTRAST = 15 };

typedef struct {
    int width, height;
    uint8_t *pixels;
} Picture;

/* Block is a square less its rounded mean; rest is what remains of the sum, variance
 * is times the pixels. */
typedef struct {
    int16_t pixels[PIXELS];
    int rest;
    int64_t variance;
} Block;

static Picture read_picture(const char *path)
{
    Picture p;
    int levels;
    FILE *file = path ? fopen(path, "rb") : NULL;
    if (!file || fscanf(file, "P5 %d %d %d", &p.width, &p.height, &levels) != 3 || levels != 255 || getc(file) == EOF ||
        p.width % SIDE != 0 || p.height % SIDE != 0)
        fail("expected a PGM file of whole blocks: see the head of the source");
    size_t n = (size_t)p.width * (size_t)p.height;
    p.pixels = allocate_zeros(n, 1);
    if (fread(p.pixels, 1, n, file) != n)
        fail("the picture is cut off");
    fclose(file);
    return p;
}

static Block centre(const int sums[PIXELS])
{
    Block b = {.rest = 0};
    int64_t sum = 0, squares = 0;
    for (int i = 0; i < PIXELS; i++)
        sum += sums[i];
    int mean = (int)((sum + PIXELS / 2) / PIXELS);
    for (int i = 0; i < PIXELS; i++) {
        b.pixels[i] = (int16_t)(sums[i] - mean);
        squares += (int64_t)b.pixels[i] * b.pixels[i];
    }
    b.rest = (int)(sum - (int64_t)PIXELS * mean);
    b.variance = PIXELS * squares - (int64_t)b.rest * b.rest;
    return b;
}

static Block range(const Picture *p, int at)
{
    int sums[PIXELS], columns = p->width / SIDE, left = at % columns * SIDE, top = at / columns * SIDE;
    for (int i = 0; i < PIXELS; i++)
        sums[i] = p->pixels[(top + i / SIDE) * p->width + left + i % SIDE];
    return centre(sums);
}

/* domain begins where a block does and is twice as wide and high; beyond an edge comes
 * the other. */
static Block domain(const Picture *p, int at)
{
    int sums[PIXELS], columns = p->width / SIDE, left = at % columns * SIDE, top = at / columns * SIDE;
    for (int i = 0; i < PIXELS; i++) {
        const uint8_t *upper = p->pixels + (top + 2 * (i / SIDE)) % p->height * p->width;
        int x = (left + 2 * (i % SIDE)) % p->width;
        sums[i] = upper[x] + upper[x + 1] + upper[x + p->width] + upper[x + p->width + 1];
    }
    return centre(sums);
}

/* turn writes a block in all isometries: mirrored or not, turned by right angles. */
static void turn(const Block *b, int16_t all[ISOMETRIES][PIXELS])
{
    for (int k = 0; k < ISOMETRIES; k++)
        for (int i = 0; i < PIXELS; i++) {
            int x = i % SIDE, y = i / SIDE;
            for (int right = 0; right < k % 4; right++) {
                int was = x;
                x = y;
                y = SIDE - 1 - was;
            }
            if (k >= 4)
                x = SIDE - 1 - x;
            all[k][i] = b->pixels[y * SIDE + x];
        }
}

/* gain is what the best contrast brings, for PIXELS times the covariance and PIXELS
 * times the variance of the domain. */
static int64_t gain(int64_t covariance, int64_t variance)
{
    int64_t c = covariance < 0 ? -covariance : covariance, a = (128 * c + variance - 1) / (2 * variance);
    if (a > MOST_CONTRAST)
        a = MOST_CONTRAST;
    return 128 * a * c - a * a * variance;
}

/* best_gain is that of the best domain. No contrast gains more than 4096 c^2 / variance:
 * only where that is enough the contrast is looked for. */
static int64_t best_gain(const Block *r, const Block *domains, const double *inverse, int count)
{
    int16_t turned[ISOMETRIES][PIXELS];
    int64_t least = (int64_t)2048 * PIXELS * PIXELS, best = 0;
    turn(r, turned);
    for (int d = 0; d < count; d++) {
        if (domains[d].variance == 0)
            continue;
        for (int k = 0; k < ISOMETRIES; k++) {
            int inner = 0;
            for (int i = 0; i < PIXELS; i++)
                inner += domains[d].pixels[i] * turned[k][i];
            int64_t covariance = (int64_t)PIXELS * inner - (int64_t)r->rest * domains[d].rest;
            double c = (double)covariance, limit = (double)(best > least ? best : least);
            if (4096 * c * c * inverse[d] < limit * (1 - 1e-9))
                continue;
            int64_t g = gain(covariance, domains[d].variance);
            if (g >= least && g > best)
                best = g;
        }
    }
    return best;
}

int main(int argc, char **argv)
{
    Picture p = read_picture(argc > 1 ? argv[1] : NULL);
    int count = p.width / SIDE * (p.height / SIDE);
    Block *domains = allocate_zeros((size_t)count, sizeof *domains);
    double *inverse = allocate_zeros((size_t)count, sizeof *inverse);
    int64_t sum = 0;
    double began = seconds();
    for (int d = 0; d < count; d++) {
        domains[d] = domain(&p, d);
        inverse[d] = domains[d].variance > 0 ? 1 / (double)domains[d].variance : 0;
    }
    for (int i = 0; i < count; i++) {
        Block r = range(&p, i);
        sum += best_gain(&r, domains, inverse, count);
    }
    printf("time %.6g s\ngain %lld\n", seconds() - began, (long long)sum);
    free(inverse);
    free(domains);
    free(p.pixels);
    return 0;
}
