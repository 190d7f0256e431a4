/* dialect.h: the one place that knows how BSPlib dialects differ.
 *
 * BSP_HEADER  the library's header, <bsp.h> unless said otherwise:
 *             -DBSP_HEADER='<bsplib.h>'
 * BSP_SIZE    what bsp_set_tagsize, bsp_get_tag and bsp_qsize point at for
 *             sizes, and BSP_COUNT what bsp_qsize points at for the number of
 *             messages: int in the 1998 paper; with MulticoreBSP headers use
 *             -DBSP_SIZE=size_t -DBSP_COUNT='unsigned int'
 */
#ifndef MIGBSP_BENCH_DIALECT_H
#define MIGBSP_BENCH_DIALECT_H

#ifndef BSP_HEADER
#define BSP_HEADER <bsp.h>
#endif
#include BSP_HEADER

#ifndef BSP_SIZE
#define BSP_SIZE int
#endif
#ifndef BSP_COUNT
#define BSP_COUNT int
#endif

#endif
