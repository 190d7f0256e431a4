/* BSPlib: bulk-synchronous parallel programs.
 *
 * The twenty primitives of BSPlib (Hill et al., 1998), with sizes of type int. A program
 * that is compiled with -DBSP_MULTICORE gets the prototypes of MulticoreBSP instead, with
 * sizes of type size_t, under other symbols: objects of both dialects cannot be mixed up.
 *
 * The manual pages are made from the comments here: what a page says is above its functions.
 */
#ifndef BSP_H
#define BSP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__linux__) && !defined(__GLIBC__)
#error "migbsp needs glibc: musl and other C libraries are not supported"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#define BSP_NORETURN __attribute__((noreturn))
#define BSP_PRINTF __attribute__((format(printf, 1, 2)))
#else
#define BSP_NORETURN
#define BSP_PRINTF
#endif

/* An argument that names an area: its memory is neither read nor written by the call. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
#define BSP_NAMES(argument) __attribute__((access(none, argument)))
#else
#define BSP_NAMES(argument)
#endif

#ifndef BSP_MULTICORE

typedef int bsp_pid_t;
typedef int bsp_nprocs_t;
typedef int bsp_size_t;

/* Begin and end the section that processes run together.
 * A program calls bsp_begin once, with the number of processes it wants, and bsp_end once. Process 0
 * runs main. Where main does more than call both, the section is a function of its own, which main
 * names to bsp_init; the other processes then run that function alone. They begin with a copy of the
 * memory that process 0 has in bsp_begin. bsp_begin starts as many processes as there are, if that is
 * fewer. */
void bsp_init(void (*spmd)(void), int argc, char **argv);
void bsp_begin(int procs);
void bsp_end(void);

/* End the program on all processes.
 * The text is that of printf, and goes to the standard error with superstep, process and line. */
void bsp_abort(const char *format, ...) BSP_NORETURN BSP_PRINTF;

/* Tell how many processes there are, and which one this is.
 * Before bsp_begin, bsp_nprocs tells how many there can be: what the flag -procs says, or one for each
 * rank. Numbers begin with 0. */
int bsp_nprocs(void);
int bsp_pid(void);

/* Tell how many seconds have passed since bsp_begin.
 * bsp_dtime tells those since it was called last. A process takes its time along when it moves. */
double bsp_time(void);
double bsp_dtime(void);

/* End a superstep.
 * All processes call it. What they have put, got and sent is there when it returns, and what was
 * registered counts. Between two supersteps a process may be moved to another rank. */
void bsp_sync(void);

/* Register an area of memory, or end that.
 * All processes register in the same order, each with an address and a size in bytes of its own; NULL
 * and 0 where a process has none. In bsp_put and bsp_get an area is named by the address that the
 * calling process has for it; of several registrations of an address the newest counts. Both take
 * effect at the end of the superstep. */
void bsp_push_reg(const void *area, int size) BSP_NAMES(1);
void bsp_pop_reg(const void *area) BSP_NAMES(1);

/* Write into an area of another process.
 * size bytes are copied to offset bytes behind the area's begin on process pid, at the end of the
 * superstep, after all bsp_get of it have read. Puts into the same place take effect by the number of
 * the process that puts, then in the order of calls. bsp_hpput may copy at any time in the superstep;
 * the source must not change in it. */
void bsp_put(int pid, const void *from, void *to, int offset, int size) BSP_NAMES(3);
void bsp_hpput(int pid, const void *from, void *to, int offset, int size) BSP_NAMES(3);

/* Read from an area of another process.
 * size bytes from offset bytes behind the area's begin on process pid are copied to memory of this
 * process, with the values that they have at the end of the superstep, before any bsp_put of it. bsp_hpget
 * may copy at any time in the superstep. */
void bsp_get(int pid, const void *from, int offset, void *to, int size) BSP_NAMES(2);
void bsp_hpget(int pid, const void *from, int offset, void *to, int size) BSP_NAMES(2);

/* Set the size of the tags of messages.
 * All processes call it alike. It counts from the next superstep on, and is 0 before. The variable gets
 * the size that was set before. */
void bsp_set_tagsize(int *size);

/* Send a message to a process.
 * Tag and payload are copied at the call. The message is in the queue of process pid in the next
 * superstep, and gone after that. Messages stand there by the number of their senders, then in the
 * order of calls. */
void bsp_send(int pid, const void *tag, const void *payload, int size);

/* Look at the queue of messages.
 * bsp_qsize counts the messages that have not been taken, and the bytes of their payloads. bsp_get_tag
 * tells the size of the first one's payload, -1 if there is none, and copies its tag. */
void bsp_qsize(int *messages, int *bytes);
void bsp_get_tag(int *status, void *tag);

/* Take a message from the queue.
 * bsp_move copies the payload of the first one, at most size bytes. bsp_hpmove copies nothing: it
 * returns the payload's size, -1 if there is no message, and where tag and payload are, until the
 * superstep ends. */
void bsp_move(void *payload, int size);
int bsp_hpmove(void **tag, void **payload);

#else /* BSP_MULTICORE */

typedef unsigned int bsp_pid_t;
typedef unsigned int bsp_nprocs_t;
typedef size_t bsp_size_t;

#define bsp_init mcbsp_init
#define bsp_begin mcbsp_begin
#define bsp_end mcbsp_end
#define bsp_abort mcbsp_abort
#define bsp_nprocs mcbsp_nprocs
#define bsp_pid mcbsp_pid
#define bsp_time mcbsp_time
#define bsp_sync mcbsp_sync
#define bsp_push_reg mcbsp_push_reg
#define bsp_pop_reg mcbsp_pop_reg
#define bsp_put mcbsp_put
#define bsp_get mcbsp_get
#define bsp_hpput mcbsp_hpput
#define bsp_hpget mcbsp_hpget
#define bsp_direct_get mcbsp_direct_get
#define bsp_set_tagsize mcbsp_set_tagsize
#define bsp_send mcbsp_send
#define bsp_hpsend mcbsp_hpsend
#define bsp_qsize mcbsp_qsize
#define bsp_get_tag mcbsp_get_tag
#define bsp_move mcbsp_move
#define bsp_hpmove mcbsp_hpmove

void bsp_init(void (*spmd)(void), int argc, char **argv);
void bsp_begin(unsigned int procs);
void bsp_end(void);
void bsp_abort(const char *format, ...) BSP_NORETURN BSP_PRINTF;
unsigned int bsp_nprocs(void);
unsigned int bsp_pid(void);
double bsp_time(void);
void bsp_sync(void);

void bsp_push_reg(void *area, size_t size) BSP_NAMES(1);
void bsp_pop_reg(void *area) BSP_NAMES(1);
void bsp_put(unsigned int pid, const void *from, void *to, size_t offset, size_t size) BSP_NAMES(3);
void bsp_hpput(unsigned int pid, const void *from, void *to, size_t offset, size_t size) BSP_NAMES(3);
void bsp_get(unsigned int pid, const void *from, size_t offset, void *to, size_t size) BSP_NAMES(2);
void bsp_hpget(unsigned int pid, const void *from, size_t offset, void *to, size_t size) BSP_NAMES(2);

/* Read from an area of another process at once.
 * The value is the one that the area has at the call: at least as new as the last bsp_sync has brought. */
void bsp_direct_get(unsigned int pid, const void *from, size_t offset, void *to, size_t size) BSP_NAMES(2);

void bsp_set_tagsize(size_t *size);
void bsp_send(unsigned int pid, const void *tag, const void *payload, size_t size);

/* Send a message to a process, whose payload does not change in the superstep. */
void bsp_hpsend(unsigned int pid, const void *tag, const void *payload, size_t size);

void bsp_qsize(unsigned int *messages, size_t *bytes);
void bsp_get_tag(size_t *status, void *tag);
void bsp_move(void *payload, size_t size);
size_t bsp_hpmove(void **tag, void **payload);

#endif

#ifdef __cplusplus
}

#ifdef BSP_MULTICORE
static inline void bsp_qsize(size_t *messages, size_t *bytes) {
  unsigned int n;
  mcbsp_qsize(&n, bytes);
  *messages = n;
}
#endif
#endif

#endif
