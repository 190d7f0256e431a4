/* spmv.c: power iterations with the Laplacian of apps/spmv in compressed rows, on
 * one core.
 *
 * usage: spmv ORDER ITERATIONS
 *
 * Prints the time and the checksum of apps/spmv. */
#include "plain.h"

#include <math.h>
#include <string.h>

typedef struct {
    int n;
    int *starts, *columns; /* columns and values of row i from starts[i] on */
    double *values;
} Matrix;

static void add(Matrix *a, int i, int j, double value)
{
    a->columns[a->starts[i + 1]] = j;
    a->values[a->starts[i + 1]++] = value;
}

/* laplacian has 4 on the diagonal, and -1 for each neighbour of a point of a square
 * whose last rows may be missing. */
static Matrix laplacian(int n)
{
    Matrix a = {.n = n};
    int width = (int)ceil(sqrt(n));
    a.starts = allocate_zeros((size_t)n + 1, sizeof *a.starts);
    a.columns = allocate_zeros(5 * (size_t)n, sizeof *a.columns);
    a.values = allocate_zeros(5 * (size_t)n, sizeof *a.values);
    for (int i = 0; i < n; i++) {
        a.starts[i + 1] = a.starts[i];
        if (i >= width)
            add(&a, i, i - width, -1);
        if (i % width > 0)
            add(&a, i, i - 1, -1);
        add(&a, i, i, 4);
        if (i % width + 1 < width && i + 1 < n)
            add(&a, i, i + 1, -1);
        if (i + width < n)
            add(&a, i, i + width, -1);
    }
    return a;
}

static void iterate(const Matrix *a, double *x, double *y)
{
    double largest = 0;
    for (int i = 0; i < a->n; i++) {
        double sum = 0;
        for (int k = a->starts[i]; k < a->starts[i + 1]; k++)
            sum += a->values[k] * x[a->columns[k]];
        y[i] = sum;
        if (fabs(sum) > largest)
            largest = fabs(sum);
    }
    double scale = largest > 0 ? 1 / largest : 1;
    for (int i = 0; i < a->n; i++)
        x[i] = scale * y[i];
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1), iterations = argument(argc, argv, 2);
    Matrix a = laplacian(n);
    double *x = allocate_zeros((size_t)n, sizeof *x), *y = allocate_zeros((size_t)n, sizeof *y);
    for (int i = 0; i < n; i++)
        x[i] = 1;
    double began = seconds();
    for (int i = 0; i < iterations; i++)
        iterate(&a, x, y);
    printf("time %.6g s\n", seconds() - began);
    uint64_t sum = 0, bits;
    for (int i = 0; i < n; i++) {
        memcpy(&bits, &x[i], sizeof bits);
        sum += mix(bits ^ mix((uint64_t)i));
    }
    printf("checksum %016llx\n", (unsigned long long)sum);
    free(y);
    free(x);
    free(a.values);
    free(a.columns);
    free(a.starts);
    return 0;
}
