//go:build mpi && cgo

#include "exchange_inner.h"

/* Messages of any length, in an exchange, and waiting for all of its messages. */

static int send(mb_mesh *m, int rank, int tag, const char *data, size_t len)
{
	for (size_t at = 0; at < len; at += MB_PART) {
		int n = (int)(len - at < MB_PART ? len - at : MB_PART);
		m->messages++;
		MB_TRY(MPI_Isend(data + at, n, MPI_BYTE, rank, tag, m->inner->comm, mb_request(m)));
	}
	return MPI_SUCCESS;
}

static int receive(mb_mesh *m, int rank, int tag, char *data, size_t len)
{
	for (size_t at = 0; at < len; at += MB_PART) {
		int n = (int)(len - at < MB_PART ? len - at : MB_PART);
		MB_TRY(MPI_Irecv(data + at, n, MPI_BYTE, rank, tag, m->inner->comm, mb_request(m)));
	}
	return MPI_SUCCESS;
}

int mb_send_piece(mb_mesh *m, int rank, const void *data, size_t len) { return send(m, rank, MB_TAG_PIECE, data, len); }

int mb_receive_piece(mb_mesh *m, int rank, void *data, size_t len) { return receive(m, rank, MB_TAG_PIECE, data, len); }

int mb_send_parcel(mb_mesh *m, int node, const void *data, size_t len)
{
	return send(m, m->inner->leader[node], MB_TAG_PARCEL, data, len);
}

int mb_receive_parcel(mb_mesh *m, int node, void *data, size_t len)
{
	return receive(m, m->inner->leader[node], MB_TAG_PARCEL, data, len);
}

static int look(mb_mesh *m, int polls)
{
	mb_inner *in = m->inner;
	while (m->left > 0 && polls > 0) {
		int n, rounds_done = m->rounds_done;
		MB_TRY(MPI_Testsome(in->used, in->request, &n, in->index, MPI_STATUSES_IGNORE));
		if (n == MPI_UNDEFINED)
			return MPI_ERR_REQUEST;
		m->left -= n;
		polls -= n == 0;
		int base = in->base; /* mb_request changes it if all are complete */
		for (int k = 0; in->leading && k < n; k++) {
			int i = in->index[k] - base;
			m->lead_left -= i >= 0;
			if (!rounds_done && i >= 0 && i < in->now->comings)
				MB_TRY(mb_arrival(m, i));
		}
		if (in->leading && (m->turns || (m->rounds_done && (!rounds_done || m->lead_left == 0))))
			break;
	}
	return MPI_SUCCESS;
}

int mb_poll(mb_mesh *m, int polls)
{
	int kept = mb_keep_processor(), code = look(m, polls);
	mb_as_before(kept);
	return code;
}

void mb_lead_over(mb_mesh *m) { m->inner->leading = 0; }

int mb_progress(mb_mesh *m)
{
	int flag, kept = mb_keep_processor();
	int code = MPI_Iprobe(MPI_ANY_SOURCE, MB_TAG_ROUND, m->inner->comm, &flag, MPI_STATUS_IGNORE);
	mb_as_before(kept);
	return code;
}
