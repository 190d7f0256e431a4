/* migbsp.h - the primitives of bsp.h with codes for results, and sections of BSPlib within programs of MPI.
 *
 * What bsp.h ends the program for is here the result of the call, which then has had no effect. Sizes
 * have type size_t. A program can use both headers; a superstep, and the section, is ended by the function of
 * the same header on all processes.
 *
 * The manual pages are made from the comments here: what a page says is above its functions.
 */
#ifndef MIGBSP_H
#define MIGBSP_H

#include <stddef.h>

/* Where there is mpi.h, unless it is not wanted. */
#if !defined(MIGBSP_WITHOUT_MPI) && defined(__has_include)
#if __has_include(<mpi.h>)
#include <mpi.h>
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum migbsp_code {
  MIGBSP_SUCCESS,
  MIGBSP_NO_MEMORY,
  MIGBSP_NOT_REGISTERED,
  MIGBSP_PUSHES_DIFFER, /* of processes, as pops and tag sizes do */
  MIGBSP_POPS_DIFFER,
  MIGBSP_TAGS_DIFFER,
  MIGBSP_NULL,          /* an address is NULL */
  MIGBSP_NO_PROCESS,    /* none has that number */
  MIGBSP_OUT_OF_RANGE,  /* of the area, or of what a size can be */
  MIGBSP_NO_MESSAGE,
  MIGBSP_LEFT,          /* other processes have ended the section */
  MIGBSP_MISPLACED      /* outside of the section, a second time, by a thread that is no process */
} migbsp_code;

/* Tell what was wrong, in the words that bsp.h would end the program with.
 * They are about the last call of the process that was not MIGBSP_SUCCESS, and stay until the next one. */
const char *migbsp_why(void);

/* Begin and end the section that processes run together.
 * As bsp_begin and bsp_end do. Where a process ends the section while others end a superstep, these get
 * MIGBSP_LEFT from then on, and so does process 0 from migbsp_end. Only process 0 returns from that. */
migbsp_code migbsp_init(void (*spmd)(void), int argc, char **argv);
migbsp_code migbsp_begin(int procs);
migbsp_code migbsp_end(void);

/* Tell how many processes there are, which one this is, and for how many seconds.
 * As bsp_nprocs, bsp_pid and bsp_time do. Outside of the section migbsp_pid and migbsp_time are -1. */
int migbsp_nprocs(void);
int migbsp_pid(void);
double migbsp_time(void);

/* End a superstep.
 * As bsp_sync does. Where processes have pushed, popped or set what does not fit, all of them get the same code, and
 * none of that has an effect; what they have put, got and sent is there nevertheless. */
migbsp_code migbsp_sync(void);

/* Register an area of memory, or end that.
 * As bsp_push_reg and bsp_pop_reg do. */
migbsp_code migbsp_push_reg(const void *area, size_t size);
migbsp_code migbsp_pop_reg(const void *area);

/* Write into an area of another process, or read from it.
 * As bsp_put, bsp_hpput, bsp_get and bsp_hpget do. With size 0 nothing is looked at. */
migbsp_code migbsp_put(int pid, const void *from, void *to, size_t offset, size_t size);
migbsp_code migbsp_hpput(int pid, const void *from, void *to, size_t offset, size_t size);
migbsp_code migbsp_get(int pid, const void *from, size_t offset, void *to, size_t size);
migbsp_code migbsp_hpget(int pid, const void *from, size_t offset, void *to, size_t size);

/* Set the size of the tags of messages, and send one.
 * As bsp_set_tagsize and bsp_send do. */
migbsp_code migbsp_set_tagsize(size_t *size);
migbsp_code migbsp_send(int pid, const void *tag, const void *payload, size_t size);

/* Look at the queue of messages, and take one.
 * As bsp_qsize, bsp_get_tag, bsp_move and bsp_hpmove do. What is not wanted to know can be NULL. Without a message
 * the last three return MIGBSP_NO_MESSAGE. */
migbsp_code migbsp_qsize(size_t *messages, size_t *bytes);
migbsp_code migbsp_get_tag(size_t *size, void *tag);
migbsp_code migbsp_move(void *payload, size_t size);
migbsp_code migbsp_hpmove(void **tag, void **payload, size_t *size);

#if defined(MPI_VERSION) && !defined(MIGBSP_WITHOUT_MPI)

/* Run a section within a program of MPI, on all ranks of a communicator.
 * It calls spmd(args) as a process of BSPlib, one on each rank, whose number is the process's. All ranks of the
 * communicator call it. It returns when all have, and can be called again; spmd does not begin and end the
 * section itself. The program has begun MPI, and ends it; it is compiled where there is mpi.h, and linked with
 * bspcc -static-rank. */
static inline void migbsp_hook(MPI_Comm comm, void (*spmd)(void *args), void *args) {
  void bsp_hook_on(int, void (*)(void *), void *);
  bsp_hook_on((int)MPI_Comm_c2f(comm), spmd, args);
}

#endif

#ifdef __cplusplus
}
#endif
#endif
