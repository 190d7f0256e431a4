/* Heat in a plate: each process has some rows, and puts its outer ones into its
 * neighbours'. Rows of some processes take more work, as where a material changes.
 *
 *   bspcc -O2 -o heat heat.c
 *   ./heat -procs 16 256 200
 *   ./heat -procs 16 -hosts two-sets.hosts 256 200
 *
 * The arguments are the number of columns and of steps. */
#include <bsp.h>

enum { ROWS = 32 };
static int procs, columns, steps;

/* relax computes one row, times over. */
static void relax(double *to, const double *above, const double *row, const double *below, int n, int times) {
  for (int t = 0; t < times; t++) {
    to[0] = row[0];
    for (int i = 1; i < n - 1; i++) to[i] = row[i] + 0.2 * (above[i] + below[i] + row[i - 1] + row[i + 1] - 4 * row[i]);
    to[n - 1] = row[n - 1];
  }
}

static void spmd(void) {
  bsp_begin(procs);
  int p = bsp_nprocs(), s = bsp_pid(), parameters[2] = {columns, steps};
  bsp_push_reg(parameters, sizeof parameters);
  bsp_sync();
  bsp_get(0, parameters, 0, parameters, sizeof parameters);
  bsp_sync();
  bsp_pop_reg(parameters);

  const int n = parameters[0], line = n * (int)sizeof(double);
  const int times = s % 4 == 0 ? 4 : 1;
  double *from = calloc((size_t)(ROWS + 2) * (size_t)n, sizeof *from), *to = calloc((size_t)(ROWS + 2) * (size_t)n, sizeof *to);
  if (s == 0)
    for (int i = 0; i < n; i++) from[n + i] = to[n + i] = 1000;
  bsp_push_reg(from, (ROWS + 2) * line);
  bsp_push_reg(to, (ROWS + 2) * line);
  bsp_sync();
  for (int k = 0; k < parameters[1]; k++) {
    for (int r = s == 0 ? 2 : 1; r <= ROWS; r++) relax(to + r * n, from + (r - 1) * n, from + r * n, from + (r + 1) * n, n, times);
    if (s > 0) bsp_put(s - 1, to + n, to, (ROWS + 1) * line, line);
    if (s < p - 1) bsp_put(s + 1, to + ROWS * n, to, 0, line);
    bsp_sync();
    double *last = from;
    from = to;
    to = last;
  }

  double *sums = calloc((size_t)p, sizeof *sums), sum = 0;
  bsp_push_reg(sums, p * (int)sizeof *sums);
  bsp_sync();
  for (int i = n; i < (ROWS + 1) * n; i++) sum += from[i];
  bsp_put(0, &sum, sums, s * (int)sizeof sum, sizeof sum);
  bsp_sync();
  sum = 0;
  for (int t = 0; t < p; t++) sum += sums[t];
  if (s == 0) printf("heat after %d steps: %.6f\n", parameters[1], sum);
  bsp_end();
}

int main(int argc, char **argv) {
  bsp_init(spmd, argc, argv);
  procs = bsp_nprocs();
  columns = argc > 1 ? atoi(argv[1]) : 256;
  steps = argc > 2 ? atoi(argv[2]) : 100;
  if (columns < 3 || steps < 1) bsp_abort("usage: heat [columns [steps]]\n");
  spmd();
  return 0;
}
