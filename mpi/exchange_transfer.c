//go:build mpi && cgo

#include "exchange_inner.h"

struct mb_runs {
	MPI_Comm comm;
	int used, room;
	MPI_Request *request; /* by number, MPI_REQUEST_NULL if there is none */
	int *expected;        /* bytes, by number: -1 if that does not matter */
	MPI_Status *status;
	int *index;
};

/*
 * Runs of another length have another tag, so that nothing comes to a receipt that was posted
 * for something else: two lengths have the same only if they differ by a multiple of
 * MB_LENGTHS. On channels from MB_MAIL on they have the same. No tag is above 32767, the
 * least bound of an MPI.
 */
enum { MB_TAG_RUN = MB_TAG_PIECE + 1, MB_LENGTHS = 4093 };

static int tag_of(int channel, size_t run)
{
	return MB_TAG_RUN + channel + MB_CHANNELS * (channel < MB_MAIL ? (int)(run % MB_LENGTHS) : 0);
}

mb_runs *mb_runs_new(mb_mesh *m)
{
	mb_runs *r = mb_need(1, sizeof *r);
	r->comm = m->inner->comm;
	return r;
}

static void grow(mb_runs *r, int number)
{
	if (number >= r->room) {
		r->room = number >= 32 ? 2 * number : 64;
		r->request = mb_more(r->request, r->room, sizeof *r->request);
		r->expected = mb_more(r->expected, r->room, sizeof *r->expected);
		r->status = mb_more(r->status, r->room, sizeof *r->status);
		r->index = mb_more(r->index, r->room, sizeof *r->index);
	}
	while (r->used <= number)
		r->request[r->used++] = MPI_REQUEST_NULL;
}

int mb_runs_post(mb_runs *r, int number, int give, int rank, int channel, size_t run, uintptr_t data, size_t len)
{
	grow(r, number);
	r->expected[number] = give ? -1 : (int)len;
	if (give)
		return MPI_Isend((const void *)data, (int)len, MPI_BYTE, rank, tag_of(channel, run), r->comm, &r->request[number]);
	return MPI_Irecv((void *)data, (int)len, MPI_BYTE, rank, tag_of(channel, run), r->comm, &r->request[number]);
}

int mb_runs_test(mb_runs *r, int polls, int *n, const int **numbers)
{
	int kept = mb_keep_processor(), code = MPI_SUCCESS;
	*numbers = r->index;
	for (*n = 0; code == MPI_SUCCESS && *n == 0 && polls > 0; polls--)
		code = MPI_Testsome(r->used, r->request, n, r->index, r->status);
	mb_as_before(kept);
	if (*n == MPI_UNDEFINED)
		*n = r->used = 0;
	for (int i = 0; code == MPI_SUCCESS && i < *n; i++) {
		int len, expected = r->expected[r->index[i]];
		if (expected >= 0)
			MB_TRY(MPI_Get_count(&r->status[i], MPI_BYTE, &len));
		if (expected >= 0 && len != expected)
			return MB_WRONG_LENGTH;
	}
	return code;
}

int mb_waiting(mb_runs *r, int channel, int *rank, size_t *len)
{
	int there, n;
	MPI_Status status;
	*rank = -1;
	int kept = mb_keep_processor(), code = MPI_Iprobe(MPI_ANY_SOURCE, tag_of(channel, 0), r->comm, &there, &status);
	mb_as_before(kept);
	if (code != MPI_SUCCESS || !there)
		return code;
	MB_TRY(MPI_Get_count(&status, MPI_BYTE, &n));
	*rank = status.MPI_SOURCE;
	*len = (size_t)n;
	return MPI_SUCCESS;
}
