//go:build mpi && cgo

#include "exchange_direct.h"
#include "exchange_inner.h"

#include <stdio.h>
#include <stdlib.h>

struct mb_direct {
	MPI_Comm comm;
	int used, room;
	MPI_Request *request; /* by number, MPI_REQUEST_NULL if there is none */
	int *index;
};

/*
 * Tags of channels begin behind those of mail. Runs of another length have another tag, so
 * that nothing comes to a receipt that was posted for something else: two lengths have the
 * same only if they differ by a multiple of MB_LENGTHS. No tag is above 32767, the least
 * bound of an MPI.
 */
enum { MB_TAG_DIRECT = MB_TAG_MAIL + MB_CHANNELS, MB_LENGTHS = 8179 };

static int tag_of(int channel, size_t run) { return MB_TAG_DIRECT + channel + MB_CHANNELS * (int)(run % MB_LENGTHS); }

mb_direct *mb_direct_new(mb_mesh *m)
{
	mb_direct *d = mb_need(1, sizeof *d);
	d->comm = m->inner->comm;
	return d;
}

static MPI_Request *request(mb_direct *d, int number)
{
	if (number >= d->room) {
		d->room = number >= 32 ? 2 * number : 64;
		d->request = realloc(d->request, (size_t)d->room * sizeof *d->request);
		d->index = realloc(d->index, (size_t)d->room * sizeof *d->index);
		if (d->request == NULL || d->index == NULL) {
			fprintf(stderr, "mpi: no memory for %d requests\n", d->room);
			abort();
		}
	}
	while (d->used <= number)
		d->request[d->used++] = MPI_REQUEST_NULL;
	return &d->request[number];
}

int mb_direct_send(mb_direct *d, int number, int rank, int channel, size_t run, uintptr_t data, size_t len)
{
	return MPI_Isend((const void *)data, (int)len, MPI_BYTE, rank, tag_of(channel, run), d->comm, request(d, number));
}

int mb_direct_receive(mb_direct *d, int number, int rank, int channel, size_t run, uintptr_t data, size_t len)
{
	return MPI_Irecv((void *)data, (int)len, MPI_BYTE, rank, tag_of(channel, run), d->comm, request(d, number));
}

int mb_direct_cancel(mb_direct *d, int number) { return MPI_Cancel(&d->request[number]); }

int mb_direct_test(mb_direct *d, int polls, int *n, const int **numbers)
{
	int kept = mb_keep_processor(), code = MPI_SUCCESS;
	*numbers = d->index;
	for (*n = 0; code == MPI_SUCCESS && *n == 0 && polls > 0; polls--)
		code = MPI_Testsome(d->used, d->request, n, d->index, MPI_STATUSES_IGNORE);
	mb_as_before(kept);
	if (*n == MPI_UNDEFINED)
		*n = d->used = 0;
	return code;
}
