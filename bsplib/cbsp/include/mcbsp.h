/* What programs of MulticoreBSP include: bsp.h with its prototypes. */
#ifndef BSP_MULTICORE
#define BSP_MULTICORE 1
#endif
#include "bsp.h"
