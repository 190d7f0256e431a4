#include "codes.c"
