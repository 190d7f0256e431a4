/* fft_local.c: radix-4 passes in Stockham's order over vectors that fit the
 * cache; longer vectors are matrices, of which columns and then rows are
 * transformed, WIDE at a time. */
#include "fft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT = 1 << 13, WIDE = 8, APART = 4 };

struct Plan {
    size_t n;
    int passes;
    double sign;
    Complex *roots;         /* of a short vector: three for each butterfly, by passes */
    Plan *columns, *rows;   /* of a long one */
    Roots turn;
    Complex *one, *other;   /* what is transformed at once, by turns */
    size_t room;
};

Complex root(size_t k, size_t n, int back)
{
    double angle = (back ? 2 : -2) * M_PI * (double)k / (double)n;
    return (Complex){cos(angle), sin(angle)};
}

Roots open_roots(size_t n, int back)
{
    Roots r = {.mask = n - 1};
    while ((size_t)1 << (2 * r.shift) < n)
        r.shift++;
    if ((size_t)1 << r.shift > n)
        r.shift = 0;
    r.low = ((size_t)1 << r.shift) - 1;
    r.fine = allocate(r.low + 1, sizeof *r.fine);
    r.high = allocate(n >> r.shift, sizeof *r.high);
    for (size_t k = 0; k <= r.low; k++)
        r.fine[k] = root(k, n, back);
    for (size_t k = 0; k < n >> r.shift; k++)
        r.high[k] = root(k << r.shift, n, back);
    return r;
}

void close_roots(Roots *r)
{
    free(r->high);
    free(r->fine);
}

static void reserve(Plan *p, size_t room)
{
    if (room <= p->room)
        return;
    free(p->one);
    free(p->other);
    p->one = allocate(room, sizeof *p->one);
    p->other = allocate(room, sizeof *p->other);
    p->room = room;
}

Plan *open_plan(size_t n, int back)
{
    Plan *p = allocate(1, sizeof *p);
    *p = (Plan){.n = n, .sign = back ? -1 : 1};
    if (n > SHORT) {
        size_t height = 1;
        while (height * height < n)
            height *= 2;
        p->columns = open_plan(height, back);
        p->rows = open_plan(n / height, back);
        p->turn = open_roots(n, back);
        reserve(p, WIDE * (height + APART));
        return p;
    }
    reserve(p, n);
    p->roots = allocate(n, sizeof *p->roots);
    Complex *w = p->roots;
    for (size_t m = n; m > 1; m /= 4, p->passes++)
        for (size_t j = 0; j < m / 4; j++)
            for (size_t k = 1; k <= 3; k++)
                *w++ = root(j * k, m, back);
    return p;
}

void close_plan(Plan *p)
{
    if (p->columns) {
        close_plan(p->columns);
        close_plan(p->rows);
        close_roots(&p->turn);
    }
    free(p->roots);
    free(p->one);
    free(p->other);
    free(p);
}

/* pass splits s vectors of n numbers, of which rows are ld apart, into four
 * times as many of n/4. */
static void pass(size_t n, double sign, const Complex *w, const Complex *restrict x, size_t ld,
                 size_t s, Complex *restrict y)
{
    size_t m = n / 4;
    for (size_t j = 0; j < m; j++, w += 3) {
        const Complex *x0 = x + j * ld, *x1 = x0 + m * ld, *x2 = x1 + m * ld, *x3 = x2 + m * ld;
        Complex *y0 = y + 4 * j * s, *y1 = y0 + s, *y2 = y1 + s, *y3 = y2 + s;
        Complex w1 = w[0], w2 = w[1], w3 = w[2];
        for (size_t q = 0; q < s; q++) {
            Complex a = x0[q], b = x1[q], c = x2[q], d = x3[q];
            Complex e = {a.re + c.re, a.im + c.im}, o = {b.re + d.re, b.im + d.im};
            y0[q] = (Complex){e.re + o.re, e.im + o.im};
            y2[q] = times(w2, (Complex){e.re - o.re, e.im - o.im});
            e = (Complex){a.re - c.re, a.im - c.im};
            o = (Complex){sign * (b.im - d.im), -sign * (b.re - d.re)};
            y1[q] = times(w1, (Complex){e.re + o.re, e.im + o.im});
            y3[q] = times(w3, (Complex){e.re - o.re, e.im - o.im});
        }
    }
}

static void pass_two(const Complex *restrict x, size_t ld, size_t s, Complex *restrict y)
{
    for (size_t q = 0; q < s; q++) {
        Complex a = x[q], b = x[ld + q];
        y[q] = (Complex){a.re + b.re, a.im + b.im};
        y[s + q] = (Complex){a.re - b.re, a.im - b.im};
    }
}

/* run transforms s columns and returns where the result is: one or other, by
 * turns, the first pass into one. */
static Complex *run(Plan *p, Complex *x, size_t ld, size_t s, Complex *one, Complex *other)
{
    const Complex *w = p->roots;
    for (size_t n = p->n; n > 1; n /= 4) {
        if (n == 2)
            pass_two(x, ld, s, one);
        else
            pass(n, p->sign, w, x, ld, s, one);
        w += 3 * (n / 4);
        x = one, one = other, other = x;
        s *= 4;
        ld = s;
    }
    return x;
}

static void transform_long(Plan *p, Complex *x, Complex *y)
{
    size_t height = p->columns->n, width = p->rows->n, next = width + APART;
    for (size_t c = 0; c < width; c += WIDE) {
        Complex *done = run(p->columns, x + c, width, WIDE, p->one, p->other);
        for (size_t i = 0; i < height; i++)
            for (size_t q = 0; q < WIDE; q++)
                x[i * width + c + q] = times(done[i * WIDE + q], root_at(&p->turn, i * (c + q)));
    }
    for (size_t i = 0; i < height; i += WIDE) {
        for (size_t r = 0; r < WIDE; r++)
            transform(p->rows, x + (i + r) * width, p->one + r * next);
        for (size_t j = 0; j < width; j++)
            for (size_t r = 0; r < WIDE; r++)
                y[j * height + i + r] = p->one[r * next + j];
    }
}

void transform(Plan *p, Complex *x, Complex *y)
{
    if (p->columns)
        transform_long(p, x, y);
    else if (p->passes == 0)
        y[0] = x[0];
    else if (p->passes % 2)
        run(p, x, 1, 1, y, x);
    else
        run(p, x, 1, 1, p->one, y);
}

void transform_columns(Plan *p, Complex *x, size_t m)
{
    if (p->columns)
        abort();
    size_t width = SHORT / p->n > WIDE ? SHORT / p->n : WIDE;
    width = width < m ? width : m;
    reserve(p, p->n * width);
    for (size_t c = 0; c < m && p->passes > 0; c += width) {
        Complex *done = run(p, x + c, m, width, p->one, p->other);
        for (size_t i = 0; i < p->n; i++)
            memcpy(x + i * m + c, done + i * width, width * sizeof *x);
    }
}
