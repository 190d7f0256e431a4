//go:build mpi && cgo

#include "exchange_inner.h"

#include <stdlib.h>
#include <string.h>

/*
 * The rounds by which all nodes learn that all have come to the exchange, of all
 * nodes' flags, and of the parcels for them. Package rounds has the plan and says why it
 * leads every parcel to its node; the forms of messages are here, and their sizes there.
 *
 * An exchange is dense if each node has parcels for half of the others or more that are
 * too long for the usual rounds: then these would be messages beside messages. The next
 * exchange on that lane is expected to be the same, and takes the course of dense ones, if
 * there is one.
 */

enum { MB_ALIGN = 16, MB_HEAD = 16, MB_LABEL = 16 };

typedef struct {
	uint32_t serial, parcels;
	uint64_t flags; /* and the lane, from bit MB_LANE_SHIFT on */
} mb_head;

typedef struct {
	uint32_t src, dst;
	uint64_t len; /* and, in the highest bit, whether the content comes by itself */
} mb_label;

#define MB_APART ((uint64_t)1 << 63)

/* The destinations of parcels that all nodes of a tree have something to do with: what is
 * given to be folded, and what has become of it. */
#define MB_UP (UINT32_MAX - 1)
#define MB_DOWN UINT32_MAX

_Static_assert(sizeof(mb_head) == MB_HEAD && sizeof(mb_label) == MB_LABEL, "package rounds plans with these sizes");

/* The flag of nodes for which the exchange is not dense. */
#define MB_SPARSE (MB_FLAGS + 1)

#define MB_LANE_SHIFT (MB_FLAG_BITS + 1)

static size_t aligned(size_t n) { return (n + MB_ALIGN - 1) & ~(size_t)(MB_ALIGN - 1); }

static int distance(const mb_inner *in, uint32_t src, uint32_t dst)
{
	return ((int)dst - (int)src + in->nodes) % in->nodes;
}

/* digit returns digit k of a distance. */
static int digit(int d, int radix, int k)
{
	while (k-- > 0)
		d /= radix;
	return d % radix;
}

/* lane_bytes returns how much the longest plan takes for the messages of an exchange. */
static size_t lane_bytes(const mb_inner *in)
{
	size_t most = 0;
	for (int i = 0; i < MB_COURSES; i++) {
		size_t n = (size_t)in->course[i].plan.steps * in->course[i].plan.slot_size;
		most = n > most ? n : most;
	}
	return most;
}

size_t mb_slots(const mb_mesh *m) { return lane_bytes(m->inner) * MB_LANES; }

void mb_use_slots(mb_mesh *m, char *memory)
{
	m->inner->slots = memory;
	m->inner->out = mb_need(lane_bytes(m->inner), 1);
}

size_t mb_inline_max(const mb_mesh *m, int lane) { return m->inner->course[m->inner->taken[lane]].plan.inline_max; }

static char *slot(const mb_inner *in, int s)
{
	return in->slots + (size_t)in->lane * lane_bytes(in) + (size_t)s * in->now->plan.slot_size;
}

/* add appends a parcel to a list. */
static void add(mb_parcel **list, int *n, int *room, mb_parcel p)
{
	if (*n == *room) {
		*room = *room > 0 ? 2 * *room : 64;
		*list = mb_more(*list, *room, sizeof **list);
	}
	(*list)[(*n)++] = p;
}

/* goes reports whether a parcel goes along in the message of a step. */
static int goes(const mb_inner *in, const mb_step *step, const mb_parcel *p)
{
	if (p->dst == MB_UP)
		return step->to >= 0 && step->from >= 0;
	if (p->dst == MB_DOWN)
		return step->from < 0;
	if (step->digit > 0)
		return digit(distance(in, p->src, p->dst), in->now->plan.radix, step->round) == step->digit;
	return distance(in, (uint32_t)step->first, p->dst) < step->count;
}

static int send_step(mb_mesh *m, int s)
{
	mb_inner *in = m->inner;
	const mb_step *step = &in->now->step[s];
	char *start = in->out + (size_t)s * in->now->plan.slot_size, *at = start + sizeof(mb_head);
	uint32_t parcels = 0;
	int held = in->helds;
	in->helds = 0;
	for (int i = 0; i < held; i++) {
		mb_parcel *p = &in->held[i];
		if (!goes(in, step, p)) {
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
		if (p->dst == MB_DOWN) /* for the other children, too */
			in->held[in->helds++] = *p;
	}
	*(mb_head *)start = (mb_head){in->serial, parcels, m->flags | (uint64_t)in->lane << MB_LANE_SHIFT};
	m->messages++;
	return MPI_Isend(start, (int)(at - start), MPI_BYTE, in->leader[step->to], MB_TAG_ROUND, in->comm, mb_request(m));
}

/* send_round sends the messages of the next round, or ends the rounds. */
static int send_round(mb_mesh *m)
{
	mb_inner *in = m->inner;
	const mb_course *c = in->now;
	if (in->next == c->plan.steps) {
		m->rounds_done = 1;
		in->taken[in->lane] = in->course[1].plan.steps > 0 && !(m->flags & MB_SPARSE);
		return MPI_SUCCESS;
	}
	for (int s = in->next; s < c->plan.steps && c->step[s].round == c->step[in->next].round; s++)
		if (c->step[s].to >= 0)
			MB_TRY(send_step(m, s));
	return MPI_SUCCESS;
}

static int open_message(mb_mesh *m, int s)
{
	mb_inner *in = m->inner;
	char *at = slot(in, s);
	mb_head *head = (mb_head *)at;
	if (head->serial != in->serial || (int)(head->flags >> MB_LANE_SHIFT) != in->lane)
		return MB_OUT_OF_STEP;
	m->flags |= head->flags & (MB_FLAGS | MB_SPARSE);
	at += sizeof *head;
	for (uint32_t i = 0; i < head->parcels; i++) {
		mb_label *label = (mb_label *)at;
		mb_parcel p = {label->src, label->dst, NULL, label->len & ~MB_APART};
		at += MB_LABEL;
		if (!(label->len & MB_APART)) {
			p.content = at;
			at += aligned(p.len);
		}
		if (p.dst == MB_DOWN) {
			m->folded = p.content;
			m->folded_len = p.len;
		}
		if (p.dst == MB_UP && in->me == 0)
			add(&m->given, &m->givens, &in->given_room, p);
		else if (p.dst == (uint32_t)in->me)
			add(&m->got, &m->gots, &in->got_room, p);
		else
			add(&in->held, &in->helds, &in->held_room, p);
	}
	return MPI_SUCCESS;
}

/* go_on ends the rounds of which all messages have come. */
static int go_on(mb_mesh *m)
{
	mb_inner *in = m->inner;
	const mb_course *c = in->now;
	while (in->next < c->plan.steps) {
		int end = in->next;
		for (; end < c->plan.steps && c->step[end].round == c->step[in->next].round; end++)
			if (!c->came[end])
				return MPI_SUCCESS;
		for (int t = in->next; t < end; t++)
			if (c->step[t].from >= 0)
				MB_TRY(open_message(m, t));
		in->next = end;
		if (!in->turned && in->me == 0 && (m->givens > 0 || in->gives)) {
			m->turns = in->turned = 1;
			return MPI_SUCCESS;
		}
		MB_TRY(send_round(m));
	}
	return MPI_SUCCESS;
}

void mb_fold(mb_mesh *m, char *data, size_t len)
{
	m->inner->give = data;
	m->inner->give_len = len;
}

int mb_turn(mb_mesh *m, char *data, size_t len)
{
	mb_inner *in = m->inner;
	m->turns = 0;
	m->folded = data;
	m->folded_len = len;
	add(&in->held, &in->helds, &in->held_room, (mb_parcel){0, MB_DOWN, data, len});
	MB_TRY(send_round(m));
	return go_on(m);
}

int mb_arrival(mb_mesh *m, int i)
{
	const mb_course *c = m->inner->now;
	c->came[c->coming[i]] = 1;
	return go_on(m);
}

int mb_rounds(mb_mesh *m, int lane, uint32_t serial, uint64_t flags, int n, const mb_parcel *parcels, int polls)
{
	mb_inner *in = m->inner;
	mb_course *c = in->now = &in->course[in->taken[lane]];
	in->lane = lane;
	in->serial = serial;
	in->next = 0;
	in->helds = m->gots = m->givens = 0;
	m->rounds_done = m->turns = in->turned = 0;
	m->folded = NULL;
	m->folded_len = 0;
	in->base = m->left > 0 ? in->used : 0;
	in->leading = 1;
	memset(c->came, 1, (size_t)c->plan.steps);
	for (int i = 0; i < c->comings; i++) {
		int s = c->coming[i];
		c->came[s] = 0;
		MB_TRY(MPI_Irecv(slot(in, s), (int)c->plan.slot_size, MPI_BYTE, in->leader[c->step[s].from], MB_TAG_ROUND, in->comm, mb_request(m)));
	}
	int apart = 0; /* parcels that the usual rounds would not carry */
	for (int i = 0; i < n; i++) {
		mb_parcel q = parcels[i];
		q.src = (uint32_t)in->me;
		apart += q.len > in->course[0].plan.inline_max;
		if (q.len > c->plan.inline_max)
			q.content = NULL;
		add(&in->held, &in->helds, &in->held_room, q);
	}
	in->gives = in->give != NULL;
	if (in->gives && in->me > 0)
		add(&in->held, &in->helds, &in->held_room, (mb_parcel){(uint32_t)in->me, MB_UP, in->give, in->give_len});
	m->flags = flags | (2 * apart < in->nodes - 1 ? MB_SPARSE : 0);
	in->give = NULL;
	MB_TRY(send_round(m));
	MB_TRY(go_on(m));
	for (int i = 0; i < n; i++)
		if (parcels[i].len > c->plan.inline_max)
			MB_TRY(mb_send_parcel(m, (int)parcels[i].dst, parcels[i].content, parcels[i].len));
	return mb_poll(m, polls);
}
