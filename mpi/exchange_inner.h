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

enum { MB_TAG_ROUND = 1, MB_TAG_PARCEL, MB_TAG_PIECE };

/* Longer messages go in parts, because MPI counts with int. */
#define MB_PART ((size_t)1 << 30)

/* A course is a plan, and how far an exchange that follows it has come. */
typedef struct {
	mb_plan plan;
	mb_step *step;
	int *coming; /* steps for which a message comes */
	int comings;
	char *came; /* by step: its message is there, or none comes */
} mb_course;

typedef struct mb_inner {
	MPI_Comm comm;
	int nodes, me;
	int *leader; /* rank by node */

	/* The rounds: see exchange_rounds.c. */
	mb_course course[MB_COURSES]; /* of usual exchanges, and of dense ones */
	int taken[MB_LANES];          /* by the next exchange on the lane */
	mb_course *now;      /* of the exchange that goes on */
	char *slots;         /* by lane and step */
	char *out;           /* by step */
	mb_parcel *held; /* parcels to pass on, from here or from elsewhere */
	int helds, held_room, got_room, given_room;
	char *give; /* to be folded, NULL if nothing is */
	size_t give_len;
	int gives;  /* this node does */
	int turned; /* node 0 has been given all that is to be folded, if anything */
	int base;           /* of the requests, the first that belongs to rounds and parcels */
	int leading;        /* rounds and parcels are on their way */
	int next;           /* the first step of the round that goes on */
	int lane;
	uint32_t serial;

	/* Requests of the exchange that goes on. */
	int used, room;
	MPI_Request *request;
	int *index;
} mb_inner;

/* mb_need gives memory, zeroed, and mb_more makes it room for n. They end the program when
 * memory is out. */
void *mb_need(size_t n, size_t size);
void *mb_more(void *old, int n, size_t size);

/*
 * mb_keep_processor has the library keep the processor when it looks for messages in vain,
 * until mb_as_before gets its result. Open MPI gives it up where a launcher has started more
 * ranks than cores. Here the caller decides; and the Go runtime takes a call from which the
 * processor went to others for one that blocks: its monitor then takes the rank's place in
 * the Go scheduler away, and wakes threads that get turns of the ranks' cores.
 */
int mb_keep_processor(void);
void mb_as_before(int kept);

/* mb_request adds a request to the exchange. When none is left it begins anew. */
MPI_Request *mb_request(mb_mesh *m);

/* mb_arrival goes on with the rounds when
 * message i of those that come has. mb_send_parcel sends what was announced. */
int mb_arrival(mb_mesh *m, int s);
int mb_send_parcel(mb_mesh *m, int node, const void *data, size_t len);

#endif
