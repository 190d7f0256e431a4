/* BSPlib: bulk-synchronous parallel programs.
 *
 * The twenty primitives of BSPlib (Hill et al., 1998), with sizes of type int. A program
 * that is compiled with -DBSP_MULTICORE gets the prototypes of MulticoreBSP instead, with
 * sizes of type size_t, under other symbols: objects of both dialects cannot be mixed up.
 */
#ifndef BSP_H
#define BSP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

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

void bsp_init(void (*spmd)(void), int argc, char **argv);
void bsp_begin(int procs);
void bsp_end(void);
void bsp_abort(const char *format, ...) BSP_NORETURN BSP_PRINTF;
int bsp_nprocs(void);
int bsp_pid(void);
double bsp_time(void);
double bsp_dtime(void);
void bsp_sync(void);

void bsp_push_reg(const void *area, int size) BSP_NAMES(1);
void bsp_pop_reg(const void *area) BSP_NAMES(1);
void bsp_put(int pid, const void *from, void *to, int offset, int size) BSP_NAMES(3);
void bsp_get(int pid, const void *from, int offset, void *to, int size) BSP_NAMES(2);
void bsp_hpput(int pid, const void *from, void *to, int offset, int size) BSP_NAMES(3);
void bsp_hpget(int pid, const void *from, int offset, void *to, int size) BSP_NAMES(2);

void bsp_set_tagsize(int *size);
void bsp_send(int pid, const void *tag, const void *payload, int size);
void bsp_qsize(int *messages, int *bytes);
void bsp_get_tag(int *status, void *tag);
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
void bsp_get(unsigned int pid, const void *from, size_t offset, void *to, size_t size) BSP_NAMES(2);
void bsp_hpput(unsigned int pid, const void *from, void *to, size_t offset, size_t size) BSP_NAMES(3);
void bsp_hpget(unsigned int pid, const void *from, size_t offset, void *to, size_t size) BSP_NAMES(2);
void bsp_direct_get(unsigned int pid, const void *from, size_t offset, void *to, size_t size) BSP_NAMES(2);

void bsp_set_tagsize(size_t *size);
void bsp_send(unsigned int pid, const void *tag, const void *payload, size_t size);
void bsp_hpsend(unsigned int pid, const void *tag, const void *payload, size_t size);
void bsp_qsize(unsigned int *messages, size_t *bytes);
void bsp_get_tag(size_t *status, void *tag);
void bsp_move(void *payload, size_t size);
size_t bsp_hpmove(void **tag, void **payload);

#endif

#ifdef __cplusplus
}
#endif

#endif
