/* bsp_level1.h - collective operations of BSPlib, level 1: broadcast, gather, scatter,
 * fold, reduce, scan and sort, as the Oxford BSP Toolset names them.
 *
 * All processes call the same operation in the same superstep. Each operation ends that
 * superstep, and some end more than one: what was put, got, sent, pushed or popped before
 * takes effect with it. Operations combine in the order of the process numbers, so that a
 * result has the same bits whatever rank a process is on. */
#ifndef MIGBSP_BSP_LEVEL1_H
#define MIGBSP_BSP_LEVEL1_H

#include "bsp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sizes are int in programs of BSPlib, and size_t in those of the MulticoreBSP dialect,
 * whose functions have symbols of their own. */
#ifdef BSP_MULTICORE
typedef size_t migbsp_bytes;
#define bsp_bcast mcbsp_bcast
#define bsp_gather mcbsp_gather
#define bsp_scatter mcbsp_scatter
#define bsp_fold mcbsp_fold
#define bsp_reduce mcbsp_reduce
#define bsp_scan mcbsp_scan
#define bsp_prefix mcbsp_prefix
#define bsp_sort mcbsp_sort
#else
typedef int migbsp_bytes;
#endif

/* An operator stores left combined with right in result, which is neither of them. It is
 * associative, and need not be commutative. */
typedef void (*migbsp_operator)(void *result, void *left, void *right, migbsp_bytes *nbytes);

/* An order returns whether x has to stand before y. */
typedef int (*migbsp_order)(void *x, void *y, migbsp_bytes *nbytes);

/* bsp_bcast copies nbytes at src of process pid to dst, which is registered, of all. */
void bsp_bcast(int pid, void *src, void *dst, migbsp_bytes nbytes);

/* bsp_gather copies src of process i to dst + i * nbytes of process pid; dst is registered. */
void bsp_gather(int pid, void *src, void *dst, migbsp_bytes nbytes);

/* bsp_scatter copies src + i * nbytes of process pid to dst of process i; src is registered. */
void bsp_scatter(int pid, void *src, void *dst, migbsp_bytes nbytes);

/* bsp_fold stores the src of all processes, combined, in dst of all. Nothing need be registered. */
void bsp_fold(migbsp_operator op, void *src, void *dst, migbsp_bytes nbytes);

/* bsp_reduce is bsp_fold by the name that it had before version 1.4 of the toolset. */
void bsp_reduce(migbsp_operator op, void *src, void *dst, migbsp_bytes nbytes);

/* bsp_scan stores the src of processes 0 to i, combined, in dst of process i. */
void bsp_scan(migbsp_operator op, void *src, void *dst, migbsp_bytes nbytes);

/* bsp_prefix is bsp_scan by another name. */
void bsp_prefix(migbsp_operator op, void *src, void *dst, migbsp_bytes nbytes);

/* bsp_sort sorts one item of each process: dst of process i is the item that has i before
 * it. Items of which none is before the other stay in the order of their processes. */
void bsp_sort(migbsp_order before, void *src, void *dst, migbsp_bytes nbytes);

/* Folds of one value: int (I), float (R) and double (D). */
int bsp_all(int x);
int bsp_any(int x);
int bsp_constantI(int x); /* whether all have the same */

int bsp_sumI(int x);
float bsp_sumR(float x);
double bsp_sumD(double x);
int bsp_productI(int x);
float bsp_productR(float x);
double bsp_productD(double x);
int bsp_minI(int x);
float bsp_minR(float x);
double bsp_minD(double x);
int bsp_maxI(int x);
float bsp_maxR(float x);
double bsp_maxD(double x);

/* Scans of one value. */
int bsp_all_prefix(int x);
int bsp_any_prefix(int x);
int bsp_sumI_prefix(int x);
float bsp_sumR_prefix(float x);
double bsp_sumD_prefix(double x);
int bsp_productI_prefix(int x);
float bsp_productR_prefix(float x);
double bsp_productD_prefix(double x);
int bsp_minI_prefix(int x);
float bsp_minR_prefix(float x);
double bsp_minD_prefix(double x);
int bsp_maxI_prefix(int x);
float bsp_maxR_prefix(float x);
double bsp_maxD_prefix(double x);

/* Sorts of one value, in ascending order. */
char bsp_sortC(char x);
int bsp_sortI(int x);
float bsp_sortR(float x);
double bsp_sortD(double x);

#ifdef __cplusplus
}
#endif
#endif
