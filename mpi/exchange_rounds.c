//go:build mpi && cgo

#include "exchange_inner.h"

#include <stdlib.h>
#include <string.h>

/*
 * The rounds by which all nodes learn that all have come to the exchange, of all
 * nodes' flags, and of the parcels for them.
 *
 * Let D = (dst - src) mod N be the distance of a parcel's nodes, written with digits
 * of base R, the radix. In round k, node i sends a message to each node i + v R^k for
 * v = 1 .. R-1, as long as v R^k < N: the parcels it holds whose digit k is v, and the
 * flags it has heard of so far. A parcel has covered its digits below k by then, and
 * is at its destination after the last round. So have the flags been to every node:
 * any distance below N is a sum of such steps, each of which is made. Combining flags
 * twice does no harm, so N need not be a power of R.
 *
 * With R = N this is one message to every other node; with R = 2 Bruck's exchange,
 * log2 N messages one after the other (Bruck et al., IEEE TPDS 8(11), 1997). All
 * steps lead to different nodes, so that two nodes exchange at most one message of the
 * rounds in each direction, and the library's order of messages tells exchanges apart.
 *
 * A message is a head and, in front of each parcel, a label; parts begin at multiples
 * of 16. Step s of a node passes on at most as many parcels as there are distances
 * with that digit: with inline_max for each, a message always fits into its slot.
 */

enum { MB_ALIGN = 16, MB_LABEL = 16 };

typedef struct {
	uint32_t serial;
	uint16_t lane, flags;
	uint32_t parcels, unused;
} mb_head;

typedef struct {
	uint32_t src, dst;
	uint64_t len; /* and, in the highest bit, whether the content comes by itself */
} mb_label;

#define MB_APART ((uint64_t)1 << 63)

static size_t aligned(size_t n) { return (n + MB_ALIGN - 1) & ~(size_t)(MB_ALIGN - 1); }

static int distance(const mb_inner *in, uint32_t src, uint32_t dst)
{
	return ((int)dst - (int)src + in->nodes) % in->nodes;
}

/* digit returns digit k of a distance. */
static int digit(const mb_inner *in, int d, int k)
{
	while (k-- > 0)
		d /= in->radix;
	return d % in->radix;
}

/* most returns how many parcels a message can carry. */
static size_t most(const mb_inner *in)
{
	size_t most = 1;
	for (int s = 0; s < in->steps; s++) {
		size_t n = 0;
		for (int d = 1; d < in->nodes; d++)
			n += digit(in, d, in->step[s].round) == in->step[s].digit;
		if (n > most)
			most = n;
	}
	return most;
}

/* Slots are no longer than what libraries send without asking the receiver first,
 * unless a thousand nodes or more announce a parcel for every other one. */
enum { MB_SLOT = 4000, MB_LONG_SLOT = 16000 };

void mb_layout(mb_mesh *m)
{
	mb_inner *in = m->inner;
	in->step = mb_need((size_t)in->nodes, sizeof *in->step);
	int round = 0;
	for (long unit = 1; unit < in->nodes; unit *= in->radix, round++)
		for (int v = 1; v < in->radix && v * unit < in->nodes; v++) {
			int d = (int)(v * unit);
			in->step[in->steps++] = (mb_step){
				round, v, in->leader[(in->me + d) % in->nodes],
				in->leader[(in->me - d + in->nodes) % in->nodes], 0};
		}
	size_t n = most(in), room = n > 4 ? MB_LONG_SLOT : MB_SLOT;
	size_t each = (room - sizeof(mb_head)) / n & ~(size_t)(MB_ALIGN - 1);
	if (each < MB_LABEL)
		each = MB_LABEL;
	m->inline_max = each - MB_LABEL;
	in->slot_size = aligned(sizeof(mb_head) + n * each);
}

size_t mb_slots(const mb_mesh *m)
{
	return (size_t)m->inner->steps * m->inner->slot_size * MB_LANES;
}

void mb_use_slots(mb_mesh *m, char *memory)
{
	m->inner->slots = memory;
	m->inner->out = mb_need((size_t)m->inner->steps, m->inner->slot_size);
}

static char *slot(const mb_inner *in, int s)
{
	return in->slots + (size_t)(in->lane * in->steps + s) * in->slot_size;
}

/* add appends a parcel to a list. */
static void add(mb_parcel **list, int *n, int *room, mb_parcel p)
{
	if (*n == *room) {
		int more = *room > 0 ? 2 * *room : 64;
		mb_parcel *longer = mb_need((size_t)more, sizeof *longer);
		if (*n > 0)
			memcpy(longer, *list, (size_t)*n * sizeof *longer);
		free(*list);
		*list = longer;
		*room = more;
	}
	(*list)[(*n)++] = p;
}

static int send_step(mb_mesh *m, int s)
{
	mb_inner *in = m->inner;
	mb_step *step = &in->step[s];
	char *start = in->out + (size_t)s * in->slot_size, *at = start + sizeof(mb_head);
	uint32_t parcels = 0;
	int held = in->helds;
	in->helds = 0;
	for (int i = 0; i < held; i++) {
		mb_parcel *p = &in->held[i];
		if (digit(in, distance(in, p->src, p->dst), step->round) != step->digit) {
			in->held[in->helds++] = *p;
			continue;
		}
		*(mb_label *)at = (mb_label){p->src, p->dst, p->len | (p->content == NULL ? MB_APART : 0)};
		at += MB_LABEL;
		if (p->content != NULL) {
			memcpy(at, p->content, p->len);
			at += aligned(p->len);
		}
		parcels++;
	}
	*(mb_head *)start = (mb_head){in->serial, (uint16_t)in->lane, (uint16_t)m->flags, parcels, 0};
	m->messages++;
	return MPI_Isend(start, (int)(at - start), MPI_BYTE, step->to, MB_TAG_ROUND, in->comm, mb_request(m));
}

/* send_round sends the messages of the next round, or ends the rounds. */
static int send_round(mb_mesh *m)
{
	mb_inner *in = m->inner;
	if (in->next == in->steps) {
		m->rounds_done = 1;
		return MPI_SUCCESS;
	}
	for (int s = in->next; s < in->steps && in->step[s].round == in->step[in->next].round; s++)
		MB_TRY(send_step(m, s));
	return MPI_SUCCESS;
}

static int open_message(mb_mesh *m, int s)
{
	mb_inner *in = m->inner;
	char *at = slot(in, s);
	mb_head *head = (mb_head *)at;
	if (head->serial != in->serial || head->lane != in->lane)
		return MB_OUT_OF_STEP;
	m->flags |= head->flags;
	at += sizeof *head;
	for (uint32_t i = 0; i < head->parcels; i++) {
		mb_label *label = (mb_label *)at;
		mb_parcel p = {label->src, label->dst, NULL, label->len & ~MB_APART};
		at += MB_LABEL;
		if (!(label->len & MB_APART)) {
			p.content = at;
			at += aligned(p.len);
		}
		if ((int)p.dst == in->me)
			add(&m->got, &m->gots, &in->got_room, p);
		else
			add(&in->held, &in->helds, &in->held_room, p);
	}
	return MPI_SUCCESS;
}

int mb_arrival(mb_mesh *m, int s)
{
	mb_inner *in = m->inner;
	in->step[s].came = 1;
	while (in->next < in->steps) {
		int end = in->next;
		for (; end < in->steps && in->step[end].round == in->step[in->next].round; end++)
			if (!in->step[end].came)
				return MPI_SUCCESS;
		for (int t = in->next; t < end; t++)
			MB_TRY(open_message(m, t));
		in->next = end;
		MB_TRY(send_round(m));
	}
	return MPI_SUCCESS;
}

int mb_rounds(mb_mesh *m, int lane, uint32_t serial, uint32_t flags, int n, const mb_parcel *parcels, int polls)
{
	mb_inner *in = m->inner;
	in->lane = lane;
	in->serial = serial;
	in->next = 0;
	in->helds = m->gots = 0;
	m->flags = flags;
	m->rounds_done = 0;
	in->base = m->left > 0 ? in->used : 0;
	in->leading = 1;
	for (int s = 0; s < in->steps; s++) {
		in->step[s].came = 0;
		MB_TRY(MPI_Irecv(slot(in, s), (int)in->slot_size, MPI_BYTE, in->step[s].from, MB_TAG_ROUND, in->comm, mb_request(m)));
	}
	for (int i = 0; i < n; i++) {
		mb_parcel p = parcels[i];
		p.src = (uint32_t)in->me;
		if (p.len > m->inline_max)
			p.content = NULL;
		add(&in->held, &in->helds, &in->held_room, p);
	}
	MB_TRY(send_round(m));
	for (int i = 0; i < n; i++)
		if (parcels[i].len > m->inline_max)
			MB_TRY(mb_send_parcel(m, (int)parcels[i].dst, parcels[i].content, parcels[i].len));
	return mb_poll(m, polls);
}
