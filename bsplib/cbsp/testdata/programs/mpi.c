/* A program that begins MPI itself, calls it where its argument says, and has a section of BSPlib. Each rank
 * prints: ok. */
#include <bsp.h>
#include <mpi.h>
#include <string.h>

static const char *where = "";

static void meet(const char *here) {
  int x = 1, sum = 0;
  if (strcmp(where, here)) return;
  MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* LINE */
  MPI_Comm_size(MPI_COMM_WORLD, &x);
  if (sum != x) printf("%d ranks, want %d\n", sum, x);
}

int main(int argc, char **argv) {
  int rank = -1, ranks = 0;
  MPI_Init(&argc, &argv);
  if (argc > 1) where = argv[1];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank < 0 || rank >= ranks || MPI_Wtime() < 0) printf("rank %d of %d\n", rank, ranks);
  meet("before");
  bsp_begin(strcmp(where, "few") ? bsp_nprocs() : 1);
  bsp_sync();
  meet("within");
  bsp_sync();
  bsp_end();
  meet("after");
  MPI_Finalize();
  fputs("ok\n", stdout);
  return 0;
}
