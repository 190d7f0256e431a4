//go:build mpi && cgo

#define _GNU_SOURCE
#include "exchange_inner.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CPU_WORDS = 64 }; /* 4096 processors */

/* count_cpus counts the processors that any rank of comm may use. */
static int count_cpus(MPI_Comm comm, int *cpus)
{
	uint64_t mine[CPU_WORDS] = {0}, all[CPU_WORDS] = {0};
	*cpus = 0;
#ifdef __linux__
	if (sched_getaffinity(0, sizeof mine, (cpu_set_t *)mine) < 0)
		memset(mine, 0, sizeof mine);
#endif
	MB_TRY(MPI_Allreduce(mine, all, CPU_WORDS, MPI_UINT64_T, MPI_BOR, comm));
	for (int i = 0; i < CPU_WORDS; i++)
		*cpus += __builtin_popcountll(all[i]);
	if (*cpus == 0)
		*cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	return MPI_SUCCESS;
}

/* Open MPI's own way to set how it waits, which returns what was set before. */
static bool (*set_yield)(bool);

int mb_keep_processor(void) { return set_yield != NULL && set_yield(false); }

void mb_as_before(int kept)
{
	if (kept)
		set_yield(true);
}

int mb_world(void) { return (int)MPI_Comm_c2f(MPI_COMM_WORLD); }

int mb_copy(int comm, int *copy)
{
	MPI_Comm made;
	MB_TRY(MPI_Comm_dup(MPI_Comm_f2c(comm), &made));
	*copy = (int)MPI_Comm_c2f(made);
	return MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
}

int mb_free(int comm)
{
	MPI_Comm c = MPI_Comm_f2c(comm);
	return MPI_Comm_free(&c);
}

void mb_to(int comm, void *memory) { *(MPI_Comm *)memory = MPI_Comm_f2c(comm); }

int mb_from(const void *memory) { return (int)MPI_Comm_c2f(*(const MPI_Comm *)memory); }

int mb_start(int comm, int node_size, mb_place *place)
{
	MPI_Comm all = MPI_Comm_f2c(comm), host, node;
	int rank, at;
	MB_TRY(MPI_Comm_rank(all, &rank));
	MB_TRY(MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host));
	MB_TRY(count_cpus(host, &place->cpus));
	MB_TRY(MPI_Comm_rank(host, &at));
	MB_TRY(MPI_Comm_split(host, node_size > 0 ? at / node_size : 0, rank, &node));
	MB_TRY(MPI_Comm_size(host, &place->node_ranks));
	place->leader = rank;
	set_yield = (bool (*)(bool))dlsym(RTLD_DEFAULT, "opal_progress_set_yield_when_idle");
	MB_TRY(MPI_Bcast(&place->leader, 1, MPI_INT, 0, node));
	MB_TRY(MPI_Comm_free(&node));
	return MPI_Comm_free(&host);
}

static void *need(void *p, size_t n, size_t size)
{
	if (p == NULL) {
		fprintf(stderr, "mpi: no memory for %zu x %zu bytes\n", n, size);
		abort();
	}
	return p;
}

void *mb_need(size_t n, size_t size) { return need(calloc(n > 0 ? n : 1, size), n, size); }

void *mb_more(void *old, int n, size_t size) { return need(realloc(old, (size_t)n * size), (size_t)n, size); }

MPI_Request *mb_request(mb_mesh *m)
{
	mb_inner *in = m->inner;
	if (m->left == 0)
		in->used = in->base = 0;
	if (in->used == in->room) {
		in->room = in->room > 0 ? 2 * in->room : 64;
		in->request = mb_more(in->request, in->room, sizeof *in->request);
		in->index = mb_more(in->index, in->room, sizeof *in->index);
	}
	m->left++;
	m->lead_left += in->leading;
	return &in->request[in->used++];
}

int mb_mesh_new(int all, mb_mesh **made)
{
	int comm;
	MB_TRY(mb_copy(all, &comm));

	mb_mesh *m = mb_need(1, sizeof *m);
	m->inner = mb_need(1, sizeof *m->inner);
	m->inner->comm = MPI_Comm_f2c(comm);
	*made = m;
	return MPI_SUCCESS;
}

int mb_mesh_close(mb_mesh *m) { return MPI_Comm_free(&m->inner->comm); }

int mb_line(mb_mesh *m, int rank, int first, double *post, double *back)
{
	enum { FEWEST = 3, MOST = 12 };
	const double enough = 2e-3;
	MPI_Comm comm = m->inner->comm;
	double begun = MPI_Wtime();
	char more = 1, answer;
	*post = *back = 1e9;
	for (int i = 0; more; i++) {
		if (!first) {
			MB_TRY(MPI_Recv(&more, 1, MPI_BYTE, rank, MB_TAG_ROUND, comm, MPI_STATUS_IGNORE));
			MB_TRY(MPI_Send(&more, 1, MPI_BYTE, rank, MB_TAG_ROUND, comm));
			continue;
		}
		MPI_Request sent;
		double start = MPI_Wtime();
		more = i < FEWEST || (i < MOST && start - begun < enough);
		MB_TRY(MPI_Isend(&more, 1, MPI_BYTE, rank, MB_TAG_ROUND, comm, &sent));
		double posted = MPI_Wtime();
		MB_TRY(MPI_Recv(&answer, 1, MPI_BYTE, rank, MB_TAG_ROUND, comm, MPI_STATUS_IGNORE));
		double end = MPI_Wtime();
		MB_TRY(MPI_Wait(&sent, MPI_STATUS_IGNORE));
		if (i > 0 && posted - start < *post) /* the first connects */
			*post = posted - start;
		if (i > 0 && end - start < *back)
			*back = end - start;
	}
	return MPI_SUCCESS;
}

void mb_error_text(int code, char *text, int n)
{
	char full[MPI_MAX_ERROR_STRING + 1] = "";
	int len = 0;
	if (MPI_Error_string(code, full, &len) != MPI_SUCCESS)
		snprintf(full, sizeof full, "MPI error %d", code);
	snprintf(text, (size_t)n, "%s", full);
}

void mb_library(char *text, int n)
{
	char full[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
	int len = 0;
	MPI_Get_library_version(full, &len);
	snprintf(text, (size_t)n, "%s", full);
}
