/* migbsp.h - sections of BSPlib within programs of MPI, which are linked with
 * bspcc -static-rank. */
#ifndef MIGBSP_H
#define MIGBSP_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

void bsp_hook_on(int comm, void (*spmd)(void *args), void *args);

/* migbsp_hook calls spmd(args) as a process of BSPlib, one on each rank of a communicator,
 * whose number is the process's. All ranks of the communicator call it. It returns when all
 * have, and can be called again; spmd uses the functions of bsp.h, but not bsp_begin and
 * bsp_end. The program has begun MPI, and ends it. */
static inline void migbsp_hook(MPI_Comm comm, void (*spmd)(void *args), void *args) {
  bsp_hook_on((int)MPI_Comm_c2f(comm), spmd, args);
}

#ifdef __cplusplus
}
#endif
#endif
