/* lbm.c: the lattice Boltzmann method of apps/lbm in two dimensions (D2Q9, two
 * relaxation times) behind a cylinder, on one core: two copies of all populations, of
 * which a step reads one and writes the other.
 *
 * usage: lbm LENGTH HEIGHT STEPS
 *
 * Prints the time and the largest speed over that of sound. */
#include "plain.h"

#include <math.h>
#include <stddef.h>

enum { Q = 9 };

static const int along[Q] = {0, 1, -1, 0, 0, 1, -1, 1, -1}, up[Q] = {0, 0, 0, 1, -1, 1, -1, -1, 1};
static const double weight[Q] = {4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 36, 1. / 36, 1. / 36, 1. / 36};
static const double speed = 0.1, viscosity = 0.02;

static int opposite(int q) { return q == 0 ? 0 : ((q - 1) ^ 1) + 1; }

/* Run is a stretch of fluid in a row; Link a solid place from which a velocity comes to
 * a cell of fluid: what that has sent there comes back. */
typedef struct {
    size_t at, length;
} Run;

typedef struct {
    int q;
    size_t wall, cell;
} Link;

typedef struct {
    int length, height;
    size_t line, size; /* of memory: there is a rim around the channel */
    double even, odd, force;
    Run *run;
    Link *link;
    size_t runs, links;
    double *f[Q], *next[Q];
} Channel;

static int solid(const Channel *c, int x, int h)
{
    if (h < 0 || h >= c->height)
        return 1;
    x = (x + c->length) % c->length;
    return hypot(x + 0.5 - c->length / 5.0, h + 0.5 - (c->height / 2.0 + c->height / 50.0)) < c->height / 9.0;
}

static size_t at(const Channel *c, int x, int h) { return (size_t)(h + 1) * c->line + (size_t)(x + 1); }

static void add_cell(Channel *c, int x, int h)
{
    size_t cell = at(c, x, h);
    Run *last = c->run + c->runs - 1;
    if (c->runs > 0 && last->at + last->length == cell)
        last->length++;
    else
        c->run[c->runs++] = (Run){cell, 1};
    for (int q = 1; q < Q; q++)
        if (solid(c, x - along[q], h - up[q]))
            c->link[c->links++] = (Link){q, at(c, x - along[q], h - up[q]), cell};
}

/* rates are those of apps/lbm: of the two, the second puts walls exactly between cells.
 * The force is what walls and an obstacle take from the speed. */
static void rates(Channel *c)
{
    int blocked = 0;
    for (int h = 0; h < c->height; h++)
        for (int x = 0; x < c->length; x++)
            if (solid(c, x, h)) {
                blocked++;
                break;
            }
    c->even = 1 / (3 * viscosity + 0.5);
    c->odd = 1 / (3. / 16 / (3 * viscosity) + 0.5);
    c->force = 8 * viscosity * speed / ((double)c->height * c->height) +
               0.75 * speed * speed * blocked / ((double)c->length * c->height);
}

static Channel open_channel(int length, int height)
{
    Channel c = {.length = length, .height = height, .line = (size_t)length + 2};
    size_t cells = (size_t)length * (size_t)height;
    c.size = c.line * ((size_t)height + 2);
    c.run = allocate_zeros(cells, sizeof *c.run);
    c.link = allocate_zeros(8 * cells, sizeof *c.link);
    rates(&c);
    for (int h = 0; h < height; h++)
        for (int x = 0; x < length; x++)
            if (!solid(&c, x, h))
                add_cell(&c, x, h);
    for (int q = 0; q < Q; q++) {
        c.f[q] = allocate_zeros(c.size, sizeof *c.f[q]);
        c.next[q] = allocate_zeros(c.size, sizeof *c.next[q]);
        for (int h = 0; h < height; h++) {
            double z = (h + 0.5) / height, u = 4 * speed * z * (1 - z), e = along[q];
            for (int x = -1; x <= length; x++)
                c.f[q][at(&c, x, h)] = weight[q] * (1 + 3 * e * u + 4.5 * e * e * u * u - 1.5 * u * u);
        }
    }
    return c;
}

/* collide has the populations of n cells meet: f are those that come in, to those that
 * go on. */
static void collide(const Channel *c, const double *restrict const f[Q], double *restrict const to[Q], size_t n)
{
    double even = c->even, odd = c->odd, half = c->force / 2;
    double push1 = (1 - odd / 2) * c->force / 3, push2 = push1 / 4;
    const double *f0 = f[0], *f1 = f[1], *f2 = f[2], *f3 = f[3], *f4 = f[4];
    const double *f5 = f[5], *f6 = f[6], *f7 = f[7], *f8 = f[8];
    double *t0 = to[0], *t1 = to[1], *t2 = to[2], *t3 = to[3], *t4 = to[4];
    double *t5 = to[5], *t6 = to[6], *t7 = to[7], *t8 = to[8];
#pragma GCC ivdep
    for (size_t i = 0; i < n; i++) {
        double s1 = f1[i] + f2[i], s2 = f3[i] + f4[i], s3 = f5[i] + f6[i], s4 = f7[i] + f8[i];
        double d1 = f1[i] - f2[i], d2 = f3[i] - f4[i], d3 = f5[i] - f6[i], d4 = f7[i] - f8[i];
        double density = f0[i] + s1 + s2 + s3 + s4, over = 1 / density;
        double u = (d1 + d3 + d4 + half) * over, v = (d2 + d3 - d4) * over;
        double still = 1 - 1.5 * (u * u + v * v), plus = u + v, minus = u - v;
        double e1 = even * density / 9, e2 = e1 / 4, o1 = odd * density / 3, o2 = o1 / 4;
        t0[i] = f0[i] - even * f0[i] + 4 * e1 * still;
        double p = even / 2 * s1 - e1 * (still + 4.5 * u * u), m = odd / 2 * d1 - o1 * u - push1;
        t1[i] = f1[i] - p - m;
        t2[i] = f2[i] - p + m;
        p = even / 2 * s2 - e1 * (still + 4.5 * v * v), m = odd / 2 * d2 - o1 * v;
        t3[i] = f3[i] - p - m;
        t4[i] = f4[i] - p + m;
        p = even / 2 * s3 - e2 * (still + 4.5 * plus * plus), m = odd / 2 * d3 - o2 * plus - push2;
        t5[i] = f5[i] - p - m;
        t6[i] = f6[i] - p + m;
        p = even / 2 * s4 - e2 * (still + 4.5 * minus * minus), m = odd / 2 * d4 - o2 * minus - push2;
        t7[i] = f7[i] - p - m;
        t8[i] = f8[i] - p + m;
    }
}

/* join makes the rim: beyond an end of the channel comes the other. */
static void join(const Channel *c, double *f)
{
    for (int h = 0; h < c->height; h++) {
        f[at(c, -1, h)] = f[at(c, c->length - 1, h)];
        f[at(c, c->length, h)] = f[at(c, 0, h)];
    }
}

static void step(Channel *c)
{
    for (int q = 1; q < Q; q++)
        join(c, c->f[q]);
    for (size_t i = 0; i < c->links; i++) {
        Link l = c->link[i];
        c->f[l.q][l.wall] = c->f[opposite(l.q)][l.cell];
    }
    for (size_t i = 0; i < c->runs; i++) {
        const double *from[Q];
        double *to[Q];
        for (int q = 0; q < Q; q++) {
            from[q] = c->f[q] + (ptrdiff_t)c->run[i].at - along[q] - up[q] * (ptrdiff_t)c->line;
            to[q] = c->next[q] + c->run[i].at;
        }
        collide(c, from, to, c->run[i].length);
    }
    for (int q = 0; q < Q; q++) {
        double *swap = c->f[q];
        c->f[q] = c->next[q];
        c->next[q] = swap;
    }
}

/* fastest is the largest speed in the middle of the last step. */
static double fastest(const Channel *c)
{
    double most = 0;
    for (size_t r = 0; r < c->runs; r++)
        for (size_t cell = c->run[r].at; cell < c->run[r].at + c->run[r].length; cell++) {
            double density = 0, u = -c->force / 2, v = 0;
            for (int q = 0; q < Q; q++) {
                density += c->f[q][cell];
                u += along[q] * c->f[q][cell];
                v += up[q] * c->f[q][cell];
            }
            most = fmax(most, hypot(u, v) / density);
        }
    return most;
}

int main(int argc, char **argv)
{
    Channel c = open_channel(argument(argc, argv, 1), argument(argc, argv, 2));
    int steps = argument(argc, argv, 3);
    double began = seconds();
    for (int i = 0; i < steps; i++)
        step(&c);
    printf("time %.6g s\nspeed %.4g\n", seconds() - began, fastest(&c) * sqrt(3));
    for (int q = 0; q < Q; q++) {
        free(c.next[q]);
        free(c.f[q]);
    }
    free(c.link);
    free(c.run);
    return 0;
}
