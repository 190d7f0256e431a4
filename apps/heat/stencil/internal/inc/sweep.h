/* sweep.h: the sweep of this package in C. */

/* sweep makes a step in the lines first .. end-1 of all layers; see Sweep. A block of 0
 * layers is one in two dimensions. */
void sweep(double *restrict to, const double *restrict from, long n, long line, long layer, long layers,
           long first, long end, double own, double beside);
