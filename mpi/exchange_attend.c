//go:build mpi && cgo

#include "exchange_inner.h"

#include <stdlib.h>
#include <string.h>

/* forget gives back what belongs to the nodes of the rounds. */
static void forget(mb_inner *in)
{
	free(in->leader);
	free(in->out);
	in->leader = NULL;
	in->out = NULL;
	for (int i = 0; i < MB_COURSES; i++) {
		free(in->course[i].step);
		free(in->course[i].coming);
		free(in->course[i].came);
	}
	memset(in->course, 0, sizeof in->course);
	memset(in->taken, 0, sizeof in->taken);
}

void mb_attend(mb_mesh *m, int nodes, const int *leaders, int me)
{
	mb_inner *in = m->inner;
	forget(in);
	in->leader = mb_need((size_t)nodes, sizeof *in->leader);
	memcpy(in->leader, leaders, (size_t)nodes * sizeof *in->leader);
	in->nodes = nodes;
	in->me = me;
}

void mb_follow(mb_mesh *m, int course, const mb_plan *plan, const mb_step *steps)
{
	mb_course *c = &m->inner->course[course];
	c->plan = *plan;
	c->step = mb_need((size_t)plan->steps, sizeof *c->step);
	c->came = mb_need((size_t)plan->steps, sizeof *c->came);
	c->coming = mb_need((size_t)plan->steps, sizeof *c->coming);
	memcpy(c->step, steps, (size_t)plan->steps * sizeof *steps);
	for (int s = 0; s < plan->steps; s++)
		if (steps[s].from >= 0)
			c->coming[c->comings++] = s;
}
