/* What programs of LPF need to start a section for its BSPlib layer, lpf/bsplib.h. The rest of
 * LPF's core, memory slots and lpf_put among it, is not here.
 */
#ifndef LPF_CORE_H
#define LPF_CORE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LPF_CORE_IMPL_ID 0
#define LPF_CORE_IMPL_CONFIG migbsp

typedef void *lpf_t; /* a context */
typedef unsigned int lpf_pid_t;
typedef int lpf_err_t;
typedef void (*lpf_func_t)(void);

/* Input and output are process 0's; functions are all processes'. */
typedef struct lpf_args {
  const void *input;
  size_t input_size;
  void *output;
  size_t output_size;
  const lpf_func_t *f_symbols;
  size_t f_size;
} lpf_args_t;

typedef void (*lpf_spmd_t)(const lpf_t context, const lpf_pid_t pid, const lpf_pid_t procs, const lpf_args_t args);

#ifdef __GNUC__
#define LPF_UNUSED __attribute__((unused))
#else
#define LPF_UNUSED
#endif

static const lpf_err_t LPF_SUCCESS LPF_UNUSED = 0;
static const lpf_err_t LPF_ERR_OUT_OF_MEMORY LPF_UNUSED = 1;
static const lpf_err_t LPF_ERR_FATAL LPF_UNUSED = 2;
static const lpf_t LPF_NONE LPF_UNUSED = NULL;
static const lpf_t LPF_ROOT LPF_UNUSED = (lpf_t)1;
static const lpf_pid_t LPF_MAX_P LPF_UNUSED = ~0u;
static const lpf_args_t LPF_NO_ARGS LPF_UNUSED = {NULL, 0, NULL, 0, NULL, 0};

/* lpf_exec runs spmd on P processes, or on all there are if these are fewer, and returns when all
 * have ended it. Only process 0 runs the program's main, or goes on in it. The first call says how many processes
 * there are; later ones must not ask for fewer. Within spmd it fails. */
lpf_err_t lpf_exec(lpf_t context, lpf_pid_t P, lpf_spmd_t spmd, lpf_args_t args);

#ifdef __cplusplus
}
#endif

#endif
