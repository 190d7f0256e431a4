/* A ring of numbers: each process adds what its neighbour has sent, and pauses.
 * The arguments are the number of supersteps and the pause in microseconds. */
#include <bsp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int steps, pause_us;

static void spmd(void) {
  bsp_begin(bsp_nprocs());
  int p = bsp_nprocs(), s = bsp_pid(), parameters[2] = {steps, pause_us};
  bsp_push_reg(parameters, sizeof parameters);
  bsp_sync();
  bsp_get(0, parameters, 0, parameters, sizeof parameters);
  bsp_sync();

  unsigned *sums = malloc((size_t)p * sizeof *sums), *own = malloc(sizeof *own), *left = malloc(sizeof *left);
  *own = (unsigned)s + 1;
  *left = 0;
  bsp_push_reg(left, sizeof *left);
  bsp_push_reg(sums, p * (int)sizeof *sums);
  bsp_sync();
  for (int k = 0; k < parameters[0]; k++) {
    bsp_put((s + 1) % p, own, left, 0, sizeof *own);
    bsp_sync();
    *own = *own * 31 + *left;
    if (parameters[1] > 0) usleep((useconds_t)parameters[1]);
  }
  bsp_put(0, own, sums, s * (int)sizeof *own, sizeof *own);
  bsp_sync();
  unsigned sum = 0;
  for (int t = 0; t < p; t++) sum = sum * 31 + sums[t];
  if (s == 0) printf("checksum %08x\n", sum);
  bsp_end();
}

int main(int argc, char **argv) {
  bsp_init(spmd, argc, argv);
  steps = argc > 1 ? atoi(argv[1]) : 10;
  pause_us = argc > 2 ? atoi(argv[2]) : 0;
  spmd();
  return 0;
}
