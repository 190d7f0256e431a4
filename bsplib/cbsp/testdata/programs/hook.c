/* Sections of BSPlib in a program of MPI, on all ranks and on parts of them. Prints: ok. With
 * an argument a process does something wrong. */
#include <bsp.h>
#include <migbsp.h>
#include <mpi.h>
#include <string.h>

static const char *wrong;

/* spmd adds numbers of all processes, by puts and by messages. */
static void spmd(void *args) {
  int p = bsp_nprocs(), s = bsp_pid(), i, n, bytes, *sum = args;
  int *all = malloc(sizeof *all * (size_t)p);
  bsp_push_reg(all, (int)sizeof *all * p);
  bsp_sync();
  for (i = 0; i < p; i++) {
    bsp_put(i, &s, all, s * (int)sizeof s, sizeof s);
    bsp_send(i, NULL, &s, sizeof s);
  }
  if (wrong && !strcmp(wrong, "pid") && s == 1) bsp_put(p, &s, all, 0, sizeof s);
  if (wrong && !strcmp(wrong, "exit") && s == 1) exit(3);
  if (wrong && !strcmp(wrong, "push") && s == 1) bsp_push_reg(&p, sizeof p);
  bsp_sync();
  bsp_qsize(&n, &bytes);
  *sum = 0;
  for (i = 0; i < p; i++) *sum += all[i];
  while (n-- > 0) {
    bsp_move(&i, sizeof i);
    *sum -= 2 * i;
  }
  bsp_pop_reg(all);
  bsp_sync();
  free(all);
}

static void check(int so, const char *what) {
  if (so) return;
  fprintf(stderr, "not so: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv) {
  int rank, size, sum, i, members;
  MPI_Comm part;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1) wrong = argv[1];
  for (i = 0; i < 3; i++) {
    migbsp_hook(MPI_COMM_WORLD, spmd, &sum);
    check(sum == -size * (size - 1) / 2, "the sum of all ranks");
    MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
    migbsp_hook(part, spmd, &sum);
    MPI_Comm_size(part, &members);
    check(sum == -members * (members - 1) / 2, "the sum of a part");
    MPI_Comm_free(&part);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("ok\n");
  MPI_Finalize();
  return 0;
}
