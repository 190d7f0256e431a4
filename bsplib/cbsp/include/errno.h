/* The system's errno.h, but that errno is looked for at each use: a process goes on in other threads, whose errno is
 * elsewhere, and compilers keep where it was.
 */
#pragma GCC system_header
#include_next <errno.h>

#ifdef errno
#undef errno
#ifdef __cplusplus
extern "C"
#endif
int *bsp_errno(void);
#define errno (*bsp_errno())
#endif
