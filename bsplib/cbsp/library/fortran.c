/* The names that Fortran 77 programs call, as compilers for it spell them: arguments by
 * reference, sizes in bytes, and the length of a text behind all others. */
#include <string.h>

#include "bsp_level1.h"

#define F(name) name##_

void F(bspinit)(void (*spmd)(void)) { bsp_init(spmd, 0, NULL); }
void F(bspbegin)(int *procs) { bsp_begin(*procs); }
void F(bspend)(void) { bsp_end(); }
int F(bspnprocs)(void) { return bsp_nprocs(); }
int F(bsppid)(void) { return bsp_pid(); }
double F(bsptime)(void) { return bsp_time(); }
double F(bspdtime)(void) { return bsp_dtime(); }
void F(bspsync)(void) { bsp_sync(); }
void F(bspsync_number)(int *number) {
  (void)number;
  bsp_sync();
}

void F(bspabort)(const char *text, size_t length) {
  while (length > 0 && text[length - 1] == ' ') length--;
  bsp_abort("%.*s\n", (int)length, text);
}

void F(bsppushreg)(void *area, int *size) { bsp_push_reg(area, *size); }
void F(bsppushregister)(void *area, int *size) { bsp_push_reg(area, *size); }
void F(bsppopreg)(void *area) { bsp_pop_reg(area); }
void F(bsppopregister)(void *area) { bsp_pop_reg(area); }

void F(bspput)(int *pid, void *src, void *dst, int *offset, int *size) { bsp_put(*pid, src, dst, *offset, *size); }
void F(bsphpput)(int *pid, void *src, void *dst, int *offset, int *size) { bsp_hpput(*pid, src, dst, *offset, *size); }
void F(bspget)(int *pid, void *src, int *offset, void *dst, int *size) { bsp_get(*pid, src, *offset, dst, *size); }
void F(bsphpget)(int *pid, void *src, int *offset, void *dst, int *size) { bsp_hpget(*pid, src, *offset, dst, *size); }

/* These take a variable of a registered common block instead of an offset. */
static int offset(const void *block, const void *variable) { return (int)((const char *)variable - (const char *)block); }
void F(bspput_common)(int *pid, void *src, void *block, void *dst, int *size) { bsp_put(*pid, src, block, offset(block, dst), *size); }
void F(bsphpput_common)(int *pid, void *src, void *block, void *dst, int *size) { bsp_hpput(*pid, src, block, offset(block, dst), *size); }
void F(bspget_common)(int *pid, void *block, void *src, void *dst, int *size) { bsp_get(*pid, block, offset(block, src), dst, *size); }
void F(bsphpget_common)(int *pid, void *block, void *src, void *dst, int *size) { bsp_hpget(*pid, block, offset(block, src), dst, *size); }

void F(bspsettagsize)(int *size) { bsp_set_tagsize(size); }
void F(bspsend)(int *pid, void *tag, void *payload, int *size) { bsp_send(*pid, tag, payload, *size); }
void F(bspqsize)(int *messages, int *bytes) { bsp_qsize(messages, bytes); }
void F(bspgettag)(int *status, void *tag) { bsp_get_tag(status, tag); }
void F(bspmove)(void *payload, int *size) { bsp_move(payload, *size); }

void F(bspbcast)(int *pid, void *src, void *dst, int *size) { bsp_bcast(*pid, src, dst, *size); }
void F(bspgather)(int *pid, void *src, void *dst, int *size) { bsp_gather(*pid, src, dst, *size); }
void F(bspscatter)(int *pid, void *src, void *dst, int *size) { bsp_scatter(*pid, src, dst, *size); }
void F(bspfold)(migbsp_operator op, void *src, void *dst, int *size) { bsp_fold(op, src, dst, *size); }
void F(bspreduce)(migbsp_operator op, void *src, void *dst, int *size) { bsp_reduce(op, src, dst, *size); }
void F(bspscan)(migbsp_operator op, void *src, void *dst, int *size) { bsp_scan(op, src, dst, *size); }
void F(bspprefix)(migbsp_operator op, void *src, void *dst, int *size) { bsp_prefix(op, src, dst, *size); }
void F(bspsort)(migbsp_order before, void *src, void *dst, int *size) { bsp_sort(before, src, dst, *size); }

#define VALUE(fortran, c, type) \
  type F(fortran)(type *x) { return c(*x); } \
  type F(fortran##_prefix)(type *x) { return c##_prefix(*x); }
#define NUMBERS(name) \
  VALUE(bsp##name##i, bsp_##name##I, int) \
  VALUE(bsp##name##r, bsp_##name##R, float) \
  VALUE(bsp##name##d, bsp_##name##D, double)

VALUE(bspall, bsp_all, int)
VALUE(bspany, bsp_any, int)
NUMBERS(sum)
NUMBERS(product)
NUMBERS(min)
NUMBERS(max)

int F(bspconstanti)(int *x) { return bsp_constantI(*x); }

/* The module's bsp_init and bsp_abort are these. */
void migbsp_fortran_init(void (*spmd)(void)) { bsp_init(spmd, 0, NULL); }
void migbsp_fortran_abort(const char *text, int length) { F(bspabort)(text, (size_t)length); }
