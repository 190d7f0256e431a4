//go:build mpi && cgo

#define _GNU_SOURCE
#include "byhand.h"

#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* MPICH declares arrays of statuses such that ignoring them draws a warning. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

#define TRY(call)                            \
	do {                                 \
		int code = (call);           \
		if (code != MPI_SUCCESS)     \
			return code;         \
	} while (0)

enum { BURST = 64, SAMPLES = 201, LONG = 1 << 20, SHORT = 1 << 18, COPIED = 1 << 25 };

int byhand_barriers(int times)
{
	while (times-- > 0)
		TRY(MPI_Barrier(MPI_COMM_WORLD));
	return MPI_SUCCESS;
}

int byhand_neighbours(int times, int barrier, int partners, const int *ranks, int bytes)
{
	char *out = calloc((size_t)partners + 1, (size_t)bytes + 1), *in = calloc((size_t)partners + 1, (size_t)bytes + 1);
	MPI_Request *request = calloc(2 * (size_t)partners + 1, sizeof *request);
	if (out == NULL || in == NULL || request == NULL)
		return MPI_ERR_NO_MEM;
	while (times-- > 0) {
		for (int i = 0; i < partners; i++)
			TRY(MPI_Irecv(in + (size_t)i * bytes, bytes, MPI_BYTE, ranks[i], 7, MPI_COMM_WORLD, &request[i]));
		for (int i = 0; i < partners; i++)
			TRY(MPI_Isend(out + (size_t)i * bytes, bytes, MPI_BYTE, ranks[i], 7, MPI_COMM_WORLD, &request[partners + i]));
		TRY(MPI_Waitall(2 * partners, request, MPI_STATUSES_IGNORE));
		if (barrier)
			TRY(MPI_Barrier(MPI_COMM_WORLD));
	}
	free(out);
	free(in);
	free(request);
	return MPI_SUCCESS;
}

/* byhand_turns looks in vain for a message and passes the core on. */
int byhand_turns(int times)
{
	char byte;
	int done, rank;
	MPI_Request request;
	TRY(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
	TRY(MPI_Irecv(&byte, 1, MPI_BYTE, rank, 9, MPI_COMM_WORLD, &request));
	while (times-- > 0) {
		TRY(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
		sched_yield();
	}
	TRY(MPI_Cancel(&request));
	return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* usual is what most times are that nothing else has disturbed: others use this machine too. */
static double usual(double *times, int n)
{
	qsort(times, (size_t)n, sizeof *times, compare);
	return times[n / 10];
}

static double now(void) { return 1e6 * MPI_Wtime(); }

/* trip times messages of some bytes there and back. Fewer are sent where each takes long. */
static int trip(int rank, char *data, int bytes, double *time)
{
	double times[SAMPLES], spent = 0;
	int n = 0, more = 1;
	while (more) {
		double start = now();
		if (rank == 0)
			TRY(MPI_Send(data, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD));
		TRY(MPI_Recv(data, bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		if (rank == 1)
			TRY(MPI_Send(data, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD));
		times[n++] = now() - start;
		spent += times[n - 1];
		more = n < SAMPLES && (n < 5 || spent < 400e3);
		TRY(MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD));
	}
	*time = usual(times, n);
	return MPI_SUCCESS;
}

static void pause_for(double time)
{
	for (double start = now(); now() - start < time;)
		;
}

/* overheads times the sending of bytes, and receiving some that have arrived long ago. */
static int overheads(int rank, char *data, int bytes, double trip, double *send, double *receive)
{
	double sent[SAMPLES], received[SAMPLES];
	double wait = trip > 1000 ? 2 * trip : 10 * trip;
	for (int n = 0; n < SAMPLES; n++) {
		if (rank == 0) {
			MPI_Request request;
			double start = now();
			TRY(MPI_Isend(data, bytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &request));
			sent[n] = now() - start;
			TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
			pause_for(wait);
			start = now();
			TRY(MPI_Recv(data, bytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
			received[n] = now() - start;
		} else {
			TRY(MPI_Recv(data, bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
			TRY(MPI_Send(data, bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD));
		}
	}
	*send = usual(sent, SAMPLES);
	*receive = usual(received, SAMPLES);
	return MPI_SUCCESS;
}

/* burst times n bytes that are sent one after the other, and an answer. */
static int burst(int rank, int n, double *time)
{
	double times[SAMPLES];
	char bytes[BURST];
	MPI_Request request[BURST];
	for (int k = 0; k < SAMPLES; k++) {
		TRY(MPI_Barrier(MPI_COMM_WORLD));
		double start = now();
		for (int i = 0; i < n; i++)
			if (rank == 0)
				TRY(MPI_Isend(&bytes[i], 1, MPI_BYTE, 1, 3, MPI_COMM_WORLD, &request[i]));
			else
				TRY(MPI_Irecv(&bytes[i], 1, MPI_BYTE, 0, 3, MPI_COMM_WORLD, &request[i]));
		TRY(MPI_Waitall(n, request, MPI_STATUSES_IGNORE));
		if (rank == 0)
			TRY(MPI_Recv(bytes, 1, MPI_BYTE, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		else
			TRY(MPI_Send(bytes, 1, MPI_BYTE, 0, 4, MPI_COMM_WORLD));
		times[k] = now() - start;
	}
	*time = usual(times, SAMPLES);
	return MPI_SUCCESS;
}

int byhand_loggp(int rank, loggp *found)
{
	char *data = calloc(2, COPIED);
	double one, many, shorter, longer, times[5];
	if (data == NULL)
		return MPI_ERR_NO_MEM;
	TRY(trip(rank, data, 1, &found->round_trip)); /* warms up */
	TRY(trip(rank, data, 1, &found->round_trip));
	TRY(overheads(rank, data, 1, found->round_trip, &found->send, &found->receive));
	TRY(overheads(rank, data, MEDIUM, 4 * found->round_trip, &found->send_long, &found->receive_long));
	TRY(burst(rank, 1, &one));
	TRY(burst(rank, BURST, &many));
	found->gap = (many - one) / (BURST - 1);
	TRY(trip(rank, data, SHORT, &shorter));
	TRY(trip(rank, data, LONG, &longer));
	found->per_byte = (longer - shorter) / 2 / (LONG - SHORT);
	for (int k = 0; k < 5; k++) {
		double start = now();
		memcpy(data + COPIED, data, COPIED);
		times[k] = now() - start;
	}
	found->copying = usual(times, 5) / COPIED;
	free(data);
	return MPI_SUCCESS;
}
