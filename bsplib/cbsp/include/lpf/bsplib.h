/* BSPlib as LPF has it: every call names its instance, and says by its result what was wrong,
 * where BSPlib ends the program.
 */
#ifndef LPF_BSPLIB_H
#define LPF_BSPLIB_H

#include "core.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct BSPlib *bsplib_t;

typedef enum bsplib_err {
  BSPLIB_SUCCESS,
  BSPLIB_ERR_OUT_OF_MEMORY,
  BSPLIB_ERR_MEMORY_NOT_REGISTERED,
  BSPLIB_ERR_PUSHREG_MISMATCH,
  BSPLIB_ERR_POPREG_MISMATCH,
  BSPLIB_ERR_TAGSIZE_MISMATCH,
  BSPLIB_ERR_NULL_POINTER,
  BSPLIB_ERR_PID_OUT_OF_RANGE,
  BSPLIB_ERR_MEMORY_ACCESS_OUT_OF_RANGE,
  BSPLIB_ERR_EMPTY_MESSAGE_QUEUE,
  BSPLIB_ERR_FATAL
} bsplib_err_t;

/* bsplib_create makes the process's instance, of which there is one at a time. All processes
 * make and destroy it. Calls are checked whatever safe says, and hp needs no limit. */
bsplib_err_t bsplib_create(lpf_t context, lpf_pid_t pid, lpf_pid_t procs, int safe, size_t hp, bsplib_t *bsplib);
bsplib_err_t bsplib_destroy(bsplib_t bsplib);

double bsplib_time(bsplib_t bsplib);
lpf_pid_t bsplib_nprocs(bsplib_t bsplib);
lpf_pid_t bsplib_pid(bsplib_t bsplib);

/* bsplib_sync fails on all processes alike. What does not fit to what others have pushed, popped
 * or set has then no effect. BSPLIB_ERR_FATAL: others have left meanwhile. */
bsplib_err_t bsplib_sync(bsplib_t bsplib);

bsplib_err_t bsplib_push_reg(bsplib_t bsplib, const void *area, size_t size);
bsplib_err_t bsplib_pop_reg(bsplib_t bsplib, const void *area);
bsplib_err_t bsplib_put(bsplib_t bsplib, lpf_pid_t pid, const void *from, void *to, size_t offset, size_t size);
bsplib_err_t bsplib_hpput(bsplib_t bsplib, lpf_pid_t pid, const void *from, void *to, size_t offset, size_t size);
bsplib_err_t bsplib_get(bsplib_t bsplib, lpf_pid_t pid, const void *from, size_t offset, void *to, size_t size);
bsplib_err_t bsplib_hpget(bsplib_t bsplib, lpf_pid_t pid, const void *from, size_t offset, void *to, size_t size);

/* bsplib_set_tagsize returns the size of the tags that are sent in this superstep. */
size_t bsplib_set_tagsize(bsplib_t bsplib, size_t size);
bsplib_err_t bsplib_send(bsplib_t bsplib, lpf_pid_t pid, const void *tag, const void *payload, size_t size);
bsplib_err_t bsplib_hpsend(bsplib_t bsplib, lpf_pid_t pid, const void *tag, const void *payload, size_t size);
bsplib_err_t bsplib_qsize(bsplib_t bsplib, size_t *messages, size_t *bytes);
bsplib_err_t bsplib_get_tag(bsplib_t bsplib, size_t *status, void *tag);
bsplib_err_t bsplib_move(bsplib_t bsplib, void *payload, size_t size);
size_t bsplib_hpmove(bsplib_t bsplib, const void **tag, const void **payload);

#ifdef __cplusplus
}
#endif

#endif
