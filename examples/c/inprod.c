/* The inner product of two vectors that are distributed cyclically, in the style of
 * Bisseling's BSPedupack: x[i] = i + 1, y = x.
 *
 *   bspcc -O2 -o inprod inprod.c
 *   echo 1000 | ./inprod -procs 8
 */
#include <bsp.h>

static int procs;

/* length is how many of n numbers process s of p has. */
static int length(int p, int s, int n) { return (n + p - s - 1) / p; }

/* inner returns the inner product on all processes. */
static double inner(int p, int s, int n, const double *x, const double *y) {
  double *sums = calloc((size_t)p, sizeof *sums), sum = 0;
  bsp_push_reg(sums, p * (int)sizeof *sums);
  bsp_sync();
  for (int i = 0; i < length(p, s, n); i++) sum += x[i] * y[i];
  for (int t = 0; t < p; t++) bsp_put(t, &sum, sums, s * (int)sizeof sum, sizeof sum);
  bsp_sync();
  sum = 0;
  for (int t = 0; t < p; t++) sum += sums[t];
  bsp_pop_reg(sums);
  free(sums);
  return sum;
}

static void spmd(void) {
  bsp_begin(procs);
  int p = bsp_nprocs(), s = bsp_pid(), n = 0;
  bsp_push_reg(&n, sizeof n);
  bsp_sync();
  if (s == 0) {
    if (scanf("%d", &n) != 1 || n < 0) bsp_abort("a number is expected: how long the vectors are\n");
    for (int t = 0; t < p; t++) bsp_put(t, &n, &n, 0, sizeof n);
  }
  bsp_sync();
  bsp_pop_reg(&n);

  double *x = malloc((size_t)(length(p, s, n) + 1) * sizeof *x);
  for (int i = 0; i < length(p, s, n); i++) x[i] = i * p + s + 1;
  double start = bsp_time(), product = inner(p, s, n, x, x), end = bsp_time();
  if (s == 0) {
    printf("inner product %.0f, expected %.0f\n", product, n * (n + 1.0) * (2.0 * n + 1) / 6);
    fprintf(stderr, "%d processes, %.6f s\n", p, end - start);
  }
  free(x);
  bsp_end();
}

int main(int argc, char **argv) {
  bsp_init(spmd, argc, argv);
  procs = bsp_nprocs();
  spmd();
  return 0;
}
