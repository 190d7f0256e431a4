/*
 * Pieces of runs between ranks of different nodes, beside exchanges: see direct_mesh.go.
 * Nothing here waits. Functions that return int give 0 or an MPI error code.
 */
#ifndef MB_EXCHANGE_DIRECT_H
#define MB_EXCHANGE_DIRECT_H

#include "exchange.h"

typedef struct mb_direct mb_direct;

mb_direct *mb_direct_new(mb_mesh *m);

/*
 * mb_direct_send and mb_direct_receive post a piece of a run of so many bytes, whose memory is the library's until it
 * is complete, under a number of the caller's choice that no piece on its way has. data is
 * an address: what holds a piece may hold pointers beside it.
 *
 * mb_direct_cancel takes back a receipt that nothing has been sent for. It is complete then,
 * when mb_direct_test next looks.
 *
 * mb_direct_test polls until pieces are complete, or that was in vain as often as polls
 * says. It gives their numbers.
 */
int mb_direct_send(mb_direct *d, int number, int rank, int channel, size_t run, uintptr_t data, size_t len);
int mb_direct_receive(mb_direct *d, int number, int rank, int channel, size_t run, uintptr_t data, size_t len);
int mb_direct_cancel(mb_direct *d, int number);
int mb_direct_test(mb_direct *d, int polls, int *n, const int **numbers);

#endif
