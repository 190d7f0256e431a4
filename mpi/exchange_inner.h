/* What the C files of the engine share. */
#ifndef MB_EXCHANGE_INNER_H
#define MB_EXCHANGE_INNER_H

#include "exchange.h"

#include <mpi.h>

/* MPICH declares arrays of statuses such that ignoring them draws a warning. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

#define MB_TRY(call)                                   \
	do {                                           \
		int mb_code = (call);                  \
		if (mb_code != MPI_SUCCESS)            \
			return mb_code;                \
	} while (0)

enum { MB_TAG_HEAD = 1, MB_TAG_BODY, MB_TAG_MAIL };

/* Longer messages go in pieces, because MPI counts with int. */
#define MB_PIECE ((size_t)1 << 30)

/* A head is the first MB_HEAD bytes of each rank's message in an exchange. */
typedef struct {
	uint64_t len;
	uint32_t serial;
	uint16_t lane, flags;
} mb_head;

/* A body is memory for the long payloads of one remote rank. */
typedef struct {
	char *mem;
	size_t cap;
} mb_body;

/* A mail is a send on its way, with its copy of the data. */
typedef struct mb_mail {
	struct mb_mail *next;
	char *copy;
	int requests;
	MPI_Request request[];
} mb_mail;

typedef struct mb_inner {
	MPI_Comm comm;
	int peers;
	int *rank; /* of remote rank number i */

	size_t slot_size;
	char *slot[MB_LANES];    /* heads and short payloads that come in, by remote rank */
	mb_body *body[MB_LANES]; /* by remote rank */
	mb_head *empty;          /* heads without payload, by remote rank */

	/* The exchange that goes on. Its first requests are the heads that come in. */
	int lane;
	uint32_t serial;
	int used, left, room;
	MPI_Request *request;
	int *index;

	mb_mail *mail, **last;
	char *piece[2];
	MPI_Request coming[2];
	int expected[2];
	int first, pieces;
} mb_inner;

/* mb_request adds a request to the exchange. It ends the program when memory is out. */
MPI_Request *mb_request(mb_inner *in);

#endif
