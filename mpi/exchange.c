//go:build mpi && cgo

#include "exchange_inner.h"

#include <stdlib.h>

/*
 * An exchange is one message to and from every remote rank. It has a head with
 * the length of the payload, and the payload itself if it is short. The
 * sender posts a longer one right behind, in pieces; the receiver posts its
 * receives when the head with the length has come.
 */

static int begin_receiving(mb_mesh *m)
{
	mb_inner *in = m->inner;
	for (int i = 0; i < in->peers; i++)
		MB_TRY(MPI_Irecv(in->slot[in->lane] + (size_t)i * in->slot_size, (int)in->slot_size, MPI_BYTE,
			in->rank[i], MB_TAG_HEAD, in->comm, mb_request(in)));
	return MPI_SUCCESS;
}

static int send_pieces(mb_inner *in, char *data, size_t len, int rank, int tag)
{
	for (size_t at = 0; at < len; at += MB_PIECE) {
		size_t n = len - at < MB_PIECE ? len - at : MB_PIECE;
		MB_TRY(MPI_Isend(data + at, (int)n, MPI_BYTE, rank, tag, in->comm, mb_request(in)));
	}
	return MPI_SUCCESS;
}

static int begin_sending(mb_mesh *m, uint32_t serial, uint32_t flags)
{
	mb_inner *in = m->inner;
	for (int i = 0; i < in->peers; i++) {
		mb_port *p = &m->port[in->lane][i];
		mb_head head = {.len = p->out_len, .serial = serial, .lane = (uint16_t)in->lane, .flags = (uint16_t)flags};
		mb_head *at = p->out_len > 0 ? (mb_head *)(p->out - MB_HEAD) : &in->empty[i];
		size_t with = p->out_len <= in->slot_size - MB_HEAD ? p->out_len : 0;
		*at = head;
		MB_TRY(MPI_Isend(at, (int)(MB_HEAD + with), MPI_BYTE, in->rank[i], MB_TAG_HEAD, in->comm, mb_request(in)));
		if (with < p->out_len)
			MB_TRY(send_pieces(in, p->out, p->out_len, in->rank[i], MB_TAG_BODY));
	}
	return MPI_SUCCESS;
}

/* big_enough makes room for len bytes from a remote rank; the old are void. */
static int big_enough(mb_body *b, size_t len)
{
	if (b->cap >= len)
		return MPI_SUCCESS;
	size_t cap = b->cap + b->cap / 2;
	if (cap < len)
		cap = len;
	cap = (cap + 4095) & ~(size_t)4095;
	free(b->mem);
	b->cap = 0;
	if (posix_memalign((void **)&b->mem, 64, cap) != 0) {
		b->mem = NULL;
		return MPI_ERR_NO_MEM;
	}
	b->cap = cap;
	return MPI_SUCCESS;
}

/* head_arrived takes a short payload in place and posts receives for a long one. */
static int head_arrived(mb_mesh *m, int i)
{
	mb_inner *in = m->inner;
	mb_port *p = &m->port[in->lane][i];
	char *slot = in->slot[in->lane] + (size_t)i * in->slot_size;
	mb_head *head = (mb_head *)slot;
	if (head->serial != in->serial || head->lane != in->lane)
		return MB_OUT_OF_STEP;
	m->flags |= head->flags;
	p->in = slot + MB_HEAD;
	p->in_len = head->len;
	if (p->in_len <= in->slot_size - MB_HEAD)
		return MPI_SUCCESS;
	mb_body *b = &in->body[in->lane][i];
	MB_TRY(big_enough(b, p->in_len));
	p->in = b->mem;
	for (size_t at = 0; at < p->in_len; at += MB_PIECE) {
		size_t n = p->in_len - at < MB_PIECE ? p->in_len - at : MB_PIECE;
		MB_TRY(MPI_Irecv(b->mem + at, (int)n, MPI_BYTE, in->rank[i], MB_TAG_BODY, in->comm, mb_request(in)));
	}
	return MPI_SUCCESS;
}

int mb_begin(mb_mesh *m, int lane, uint32_t serial, uint32_t flags, int polls)
{
	mb_inner *in = m->inner;
	in->lane = lane;
	in->serial = serial;
	in->used = in->left = 0;
	m->flags = 0;
	m->done = 0;
	if (m->mails > 0)
		MB_TRY(mb_progress(m));
	MB_TRY(begin_receiving(m));
	MB_TRY(begin_sending(m, serial, flags));
	return mb_poll(m, polls);
}

int mb_poll(mb_mesh *m, int polls)
{
	mb_inner *in = m->inner;
	while (in->left > 0 && polls > 0) {
		int n;
		MB_TRY(MPI_Testsome(in->used, in->request, &n, in->index, MPI_STATUSES_IGNORE));
		if (n == MPI_UNDEFINED)
			return MPI_ERR_REQUEST;
		in->left -= n;
		polls -= n == 0;
		for (int k = 0; k < n; k++)
			if (in->index[k] < in->peers)
				MB_TRY(head_arrived(m, in->index[k]));
	}
	if (in->left == 0) {
		for (int i = 0; i < in->peers; i++)
			m->port[in->lane][i].out_len = 0;
		m->done = 1;
	}
	return MPI_SUCCESS;
}
