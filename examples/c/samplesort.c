/* Sorting by regular samples. Numbers go to their processes as messages.
 *
 *   bspcc -O2 -o samplesort samplesort.c
 *   ./samplesort -procs 16 100000
 */
#include <bsp.h>

static int procs;

static int compare(const void *x, const void *y) {
  unsigned a = *(const unsigned *)x, b = *(const unsigned *)y;
  return (a > b) - (a < b);
}

static void *memory(size_t bytes) {
  void *at = malloc(bytes + 1);
  if (!at) bsp_abort("no memory for %zu bytes\n", bytes);
  return at;
}

/* splitters returns p - 1 numbers that divide those of all processes about equally. */
static unsigned *splitters(int p, int s, int n, const unsigned *x) {
  unsigned *samples = memory((size_t)(p * p) * sizeof *samples), *mine = memory((size_t)p * sizeof *mine);
  bsp_push_reg(samples, p * p * (int)sizeof *samples);
  bsp_sync();
  for (int i = 0; i < p; i++) mine[i] = x[(long)i * n / p];
  for (int t = 0; t < p; t++) bsp_put(t, mine, samples, s * p * (int)sizeof *mine, p * (int)sizeof *mine);
  bsp_sync();
  bsp_pop_reg(samples);
  qsort(samples, (size_t)(p * p), sizeof *samples, compare);
  for (int i = 1; i < p; i++) samples[i - 1] = samples[i * p];
  free(mine);
  return samples;
}

/* exchange sends each number to its process, and returns those that have come. */
static unsigned *exchange(int p, int *n, const unsigned *x, const unsigned *split) {
  for (int t = 0, first = 0; t < p; t++) {
    int end = first;
    while (end < *n && (t == p - 1 || x[end] < split[t])) end++;
    if (end > first) bsp_send(t, NULL, &x[first], (end - first) * (int)sizeof *x);
    first = end;
  }
  bsp_sync();
  int messages, bytes;
  bsp_qsize(&messages, &bytes);
  unsigned *all = memory((size_t)bytes), *at = all;
  for (int status; messages > 0; messages--, at += status / (int)sizeof *at) {
    bsp_get_tag(&status, NULL);
    bsp_move(at, status);
  }
  *n = bytes / (int)sizeof *all;
  qsort(all, (size_t)*n, sizeof *all, compare);
  return all;
}

static int total; /* how many numbers there are, which only process 0 knows */

static void spmd(void) {
  bsp_begin(procs);
  int p = bsp_nprocs(), s = bsp_pid();
  bsp_push_reg(&total, sizeof total);
  bsp_sync();
  bsp_get(0, &total, 0, &total, sizeof total);
  bsp_sync();
  bsp_pop_reg(&total);

  int n = (int)((s + 1L) * total / p - (long)s * total / p);
  if (n < p) bsp_abort("%d numbers are too few for %d processes\n", total, p);
  unsigned *x = memory((size_t)n * sizeof *x), state = 12345u + (unsigned)s, sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] = (state = state * 1664525u + 1013904223u) >> 4;
  qsort(x, (size_t)n, sizeof *x, compare);
  unsigned *split = splitters(p, s, n, x), *sorted = exchange(p, &n, x, split);

  /* What belongs to this process lies between its neighbours', and nothing is lost. */
  struct { unsigned last, sum; int n; } *ends = memory((size_t)p * sizeof *ends), mine;
  bsp_push_reg(ends, p * (int)sizeof *ends);
  bsp_sync();
  mine.n = n;
  mine.sum = -sum;
  for (int i = 0; i < n; i++) mine.sum += sorted[i];
  mine.last = n > 0 ? sorted[n - 1] : 0;
  for (int t = 0; t < p; t++) bsp_put(t, &mine, ends, s * (int)sizeof mine, sizeof mine);
  bsp_sync();
  for (int t = 0; t < s; t++)
    if (n > 0 && ends[t].n > 0 && ends[t].last > sorted[0]) bsp_abort("not sorted\n");
  long all = 0;
  unsigned difference = 0;
  for (int t = 0; t < p; t++) all += ends[t].n, difference += ends[t].sum;
  if (s == 0) printf("%ld numbers sorted, %s\n", all, all == total && difference == 0 ? "none is lost" : "SOME ARE LOST");
  bsp_pop_reg(ends);
  bsp_end();
}

int main(int argc, char **argv) {
  bsp_init(spmd, argc, argv);
  procs = bsp_nprocs();
  total = argc > 1 ? atoi(argv[1]) : 100000;
  spmd();
  return 0;
}
