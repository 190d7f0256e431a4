/*
 * The part of the engine that talks to other nodes. Nothing here waits: a call posts
 * or polls and returns, and the caller decides how to spend the time between.
 *
 * Functions that return int give 0, an MPI error code, or one of the errors below.
 */
#ifndef MB_EXCHANGE_H
#define MB_EXCHANGE_H

#include <stddef.h>
#include <stdint.h>

enum {
	MB_LANES = 2,
	MB_COURSES = 2,
	/* Errors that MPI does not know. */
	MB_OUT_OF_STEP = -1,  /* another rank is in another exchange */
	MB_WRONG_LENGTH = -2, /* another rank sent less than this one receives */
};

/* The flags that are the caller's, as many as FlagBits of the Go side; the others are used within. */
#define MB_FLAG_BITS 56
#define MB_FLAGS (((uint64_t)1 << MB_FLAG_BITS) - 1)

/* mb_place describes where this rank runs. */
typedef struct {
	int leader; /* lowest rank of the node */
	int node_ranks;  /* ranks on the node */
	int cpus;   /* processors that at least one of them may use */
} mb_place;

/*
 * A parcel is what one node has for another in an exchange: some bytes, or, where
 * content is NULL, the news that a message of so many bytes comes by itself.
 */
typedef struct {
	uint32_t src, dst; /* nodes */
	char *content;
	size_t len;
} mb_parcel;

/* A mesh connects a rank with the ranks of other nodes in a communicator. */
typedef struct mb_mesh {
	uint64_t flags;    /* of all nodes, after the rounds: those in MB_FLAGS */
	int rounds_done;   /* the rounds of the exchange that began last are over */
	int left;          /* requests of this exchange that are not complete */
	int lead_left;     /* those of them that belong to rounds and parcels */
	uint64_t messages; /* sent in exchanges so far */
	mb_parcel *got;    /* parcels for this node, after the rounds */
	int gots;
	int turns;         /* the rounds wait for mb_turn */
	mb_parcel *given;  /* what other nodes have given to be folded, then */
	int givens;
	char *folded;      /* what has become of it, after the rounds; NULL if nothing was given */
	size_t folded_len;
	struct mb_inner *inner;
} mb_mesh;

/*
 * A communicator is named by what Fortran has for it. mb_world is the one of all ranks;
 * mb_copy makes another one of the same ranks, whose errors are returned, and mb_free ends
 * that. mb_to writes a communicator to memory that holds one, and mb_from reads it there.
 */
int mb_world(void);
int mb_copy(int comm, int *copy);
int mb_free(int comm);
void mb_to(int comm, void *memory);
int mb_from(const void *memory);

/*
 * mb_start says where this rank of a communicator runs. Nodes of more than node_size ranks are
 * taken as several; node_size 0 means no limit, 1 every rank by itself.
 */
int mb_start(int comm, int node_size, mb_place *place);

/*
 * mb_mesh_new makes a mesh on a new communicator of all ranks. Collective.
 */
int mb_mesh_new(int comm, mb_mesh **made);

/* mb_mesh_close ends the use of that communicator. */
int mb_mesh_close(mb_mesh *m);

/*
 * mb_plan is Plan or Tree of package rounds, and mb_step a step of it, for one node: in
 * its round a message goes to a node and one comes from a node, where these are not
 * negative. Parcels whose distance has that digit go along or, if it is 0, those for
 * count nodes from first on.
 */
typedef struct {
	int radix, steps;
	size_t slot_size, inline_max;
} mb_plan;

typedef struct {
	int round, to, from, digit, first, count;
} mb_step;

/*
 * mb_attend makes nodes with these leaders those of the rounds, from the next exchange on;
 * this rank is on node number me. mb_follow gives the plans of their rounds: course 0
 * is that of usual exchanges, the next one of those that are expected to be dense, if that is
 * another one. Then a leader has to give memory for them.
 */
void mb_attend(mb_mesh *m, int nodes, const int *leaders, int me);
void mb_follow(mb_mesh *m, int course, const mb_plan *plan, const mb_step *steps);

/*
 * mb_line measures the line to another rank, which calls it too, and of which one is
 * first: in seconds, what it takes to post a message, and until one that is answered at
 * once is back. The other one learns nothing.
 */
int mb_line(mb_mesh *m, int rank, int first, double *post, double *back);

/*
 * mb_slots returns how many bytes of memory a leader needs for what the rounds bring,
 * and mb_use_slots gives it to the mesh. What an exchange has brought stays there until
 * the next rounds on the same lane: they begin when all ranks of the node, which read it,
 * have entered that exchange.
 */
size_t mb_slots(const mb_mesh *m);
void mb_use_slots(mb_mesh *m, char *memory);

/* mb_inline_max returns how long a parcel may be for the lane's next rounds to carry it. */
size_t mb_inline_max(const mb_mesh *m, int lane);

/*
 * mb_rounds starts the rounds of an exchange, which leaders make: they carry flags, and n
 * parcels for other nodes, at most one for each. A longer one than mb_inline_max is
 * announced, and its content sent by itself. serial numbers the exchanges of all lanes.
 * Then it polls.
 *
 * mb_receive_parcel asks for a parcel that was announced. When m->lead_left is 0 it has
 * come, and all that mb_rounds was given is sent.
 *
 * mb_send_piece and mb_receive_piece add a message of any length to the exchange,
 * before its rounds or when m->lead_left is 0. The receiver knows its length. When
 * m->left is 0 all memory that was given may be used again.
 *
 * mb_poll looks for progress until that was in vain as often as polls says, or until
 * the rounds are done or the parcels are there.
 */
int mb_rounds(mb_mesh *m, int lane, uint32_t serial, uint64_t flags, int n, const mb_parcel *parcels, int polls);
int mb_receive_parcel(mb_mesh *m, int node, void *data, size_t len);
int mb_send_piece(mb_mesh *m, int rank, const void *data, size_t len);
int mb_receive_piece(mb_mesh *m, int rank, void *data, size_t len);
int mb_poll(mb_mesh *m, int polls);
void mb_lead_over(mb_mesh *m); /* when m->lead_left is 0 */

/*
 * mb_fold gives len > 0 bytes to be folded, before the rounds of a tree. When all have come to node 0
 * these wait there, unless nobody has given any: mb_turn goes on, with what has become of them.
 * All memory stays as it is until m->lead_left is 0.
 */
void mb_fold(mb_mesh *m, char *data, size_t len);
int mb_turn(mb_mesh *m, char *data, size_t len);

/* mb_progress lets the library work. */
int mb_progress(mb_mesh *m);

/*
 * Runs between ranks of different nodes, beside exchanges, in pieces: see transfer_world.go.
 *
 * mb_runs_post sends or receives a piece of a run of so many bytes, whose memory is the
 * library's until it is complete, under a number of the caller's choice that no piece on its
 * way has. data is an address: what holds a piece may hold pointers beside it.
 *
 * mb_runs_test polls until pieces are complete, or that was in vain as often as polls
 * says. It gives their numbers.
 *
 * mb_waiting looks for a run of one piece on a channel from MB_MAIL on, from any rank: *rank is
 * -1 if there is none yet, else whose it is, and *len its length.
 */
typedef struct mb_runs mb_runs;
enum { MB_MAIL = 4, MB_CHANNELS = 8 };
mb_runs *mb_runs_new(mb_mesh *m);
int mb_runs_post(mb_runs *r, int number, int give, int rank, int channel, size_t run, uintptr_t data, size_t len);
int mb_runs_test(mb_runs *r, int polls, int *n, const int **numbers);
int mb_waiting(mb_runs *r, int channel, int *rank, size_t *len);

/* mb_error_text and mb_library write a text of at most n bytes. */
void mb_error_text(int code, char *text, int n);
void mb_library(char *text, int n);

#endif
