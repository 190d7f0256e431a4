// process.h with all fields of a process, for C files.
#define MIGBSP_INSIDE
#include "process.h"
