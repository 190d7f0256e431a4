/*
 * The part of the engine that talks to ranks of other nodes, for which one
 * crossing from Go per exchange must do. Nothing here waits: a call posts or
 * polls and returns, and the caller decides how to spend the time between.
 *
 * Functions that return int give 0, an MPI error code, or one of the errors below.
 */
#ifndef MB_EXCHANGE_H
#define MB_EXCHANGE_H

#include <stddef.h>
#include <stdint.h>

enum {
	MB_LANES = 2,
	MB_HEAD = 16, /* bytes in front of a payload that are the engine's */
	/* Errors that MPI does not know. */
	MB_OUT_OF_STEP = -1,  /* another rank is in another exchange */
	MB_WRONG_LENGTH = -2, /* another rank sent less than this one receives */
};

/* mb_place describes where this rank runs. */
typedef struct {
	int leader; /* lowest world rank of the node */
	int node_ranks;  /* ranks on the node */
	int cpus;   /* processors that at least one of them may use */
} mb_place;

/* A port is what one remote rank gets and gives in an exchange. */
typedef struct {
	char *out;      /* payload, with MB_HEAD bytes in front of it */
	size_t out_len; /* 0: nothing to send */
	char *in;
	size_t in_len;
} mb_port;

/* A mesh connects a rank with the ranks of other nodes in a communicator. */
typedef struct mb_mesh {
	mb_port *port[MB_LANES]; /* one per remote rank */
	uint32_t flags;          /* of the remote ranks, after an exchange */
	int done;                /* the exchange that began last is complete */
	int mails;               /* sends that are not complete */
	struct mb_inner *inner;
} mb_mesh;

/*
 * mb_start says where this rank runs. Nodes of more than node_size ranks are
 * taken as several; node_size 0 means no limit, 1 every rank by itself.
 */
int mb_start(int node_size, mb_place *place);

/*
 * mb_mesh_new makes a mesh of this rank and n others, which are ranks of the
 * parent mesh's communicator, or of the world without a parent. With color >= 0
 * the communicator is the part of the parent's with that color, ordered by key,
 * and the ranks are ranks in it. A negative color gets no mesh. Collective over
 * the parent's communicator.
 */
int mb_mesh_new(mb_mesh *parent, int color, int key, int n, const int *ranks, mb_mesh **made);
void mb_mesh_free(mb_mesh *m);

/*
 * mb_begin starts an exchange with all remote ranks, and looks for its progress
 * until that was in vain as often as polls says; mb_poll goes on with it. When
 * m->done is set the ports' in and in_len hold what came, until the next
 * exchange on the lane, and out may be used again. serial numbers the exchanges
 * of all lanes.
 */
int mb_begin(mb_mesh *m, int lane, uint32_t serial, uint32_t flags, int polls);
int mb_poll(mb_mesh *m, int polls);

/* mb_progress lets the library work, and gives back memory of complete sends. */
int mb_progress(mb_mesh *m);

/*
 * mb_send copies a run of bytes and starts to send it to remote rank number
 * peer. mb_recv starts to receive the next piece of a run, of MB_CHUNK bytes or
 * what is left; up to two pieces may be on their way. mb_recv_test returns where
 * the older one is when it has come. Runs on different channels do not mix.
 */
enum { MB_CHUNK = 4 << 20, MB_CHANNELS = 2 };
int mb_send(mb_mesh *m, int peer, int channel, const void *data, size_t len);
int mb_recv(mb_mesh *m, int peer, int channel, size_t len);
int mb_recv_test(mb_mesh *m, int polls, char **piece);

/* mb_error_text and mb_library write a text of at most n bytes. */
void mb_error_text(int code, char *text, int n);
void mb_library(char *text, int n);

#endif
