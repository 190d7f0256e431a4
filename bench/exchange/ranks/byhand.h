/* Supersteps by hand, and what a message costs, with calls of MPI. */
#ifndef BYHAND_H
#define BYHAND_H

/* loggp is what messages from rank 0 to rank 1 cost, in microseconds. */
typedef struct {
	double round_trip; /* of a byte */
	double send, receive; /* of the processor, for a byte */
	double gap; /* between bytes that are sent one after the other */
	double per_byte;
	double send_long, receive_long; /* as above, of MEDIUM bytes */
	double copying; /* of the processor, for each byte of memory */
} loggp;

enum { MEDIUM = 32768 }; /* less than what libraries send without asking first */

/* Each returns 0 or an error code of MPI. All ranks call it with the same times; partners
 * are those of this rank, and each of them has this one as a partner. */
int byhand_barriers(int times);
int byhand_neighbours(int times, int barrier, int partners, const int *ranks, int bytes);
int byhand_turns(int times);

/* byhand_loggp is for ranks 0 and 1 of two. */
int byhand_loggp(int rank, loggp *found);

#endif
