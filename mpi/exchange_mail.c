//go:build mpi && cgo

#include "exchange_inner.h"

#include <stdlib.h>
#include <string.h>

/*
 * Memory that Go may give back to the system behind the library's back must
 * not be registered with a network adapter. Sends therefore copy, and receives
 * go through two pieces of C memory.
 */

int mb_send(mb_mesh *m, int rank, int channel, const void *data, size_t len)
{
	mb_inner *in = m->inner;
	if (m->mails > 0)
		MB_TRY(mb_progress(m));
	int pieces = (int)((len + MB_CHUNK - 1) / MB_CHUNK);
	mb_mail *mail = malloc(sizeof *mail + (size_t)pieces * sizeof mail->request[0]);
	char *copy = malloc(len);
	if (mail == NULL || copy == NULL) {
		free(mail);
		free(copy);
		return MPI_ERR_NO_MEM;
	}
	memcpy(copy, data, len);
	mail->next = NULL;
	mail->copy = copy;
	mail->requests = pieces;
	for (int i = 0; i < pieces; i++) {
		size_t at = (size_t)i * MB_CHUNK, n = len - at < MB_CHUNK ? len - at : MB_CHUNK;
		MB_TRY(MPI_Isend(copy + at, (int)n, MPI_BYTE, rank, MB_TAG_MAIL + channel, in->comm, &mail->request[i]));
	}
	*in->last = mail;
	in->last = &mail->next;
	m->mails++;
	return MPI_SUCCESS;
}

static int progress(mb_mesh *m)
{
	mb_inner *in = m->inner;
	int flag;
	if (in->mail == NULL)
		return MPI_Iprobe(MPI_ANY_SOURCE, MB_TAG_ROUND, in->comm, &flag, MPI_STATUS_IGNORE);
	in->last = &in->mail;
	for (mb_mail *mail = in->mail; mail != NULL;) {
		mb_mail *next = mail->next;
		MB_TRY(MPI_Testall(mail->requests, mail->request, &flag, MPI_STATUSES_IGNORE));
		if (flag) {
			free(mail->copy);
			free(mail);
			m->mails--;
		} else {
			*in->last = mail;
			in->last = &mail->next;
		}
		mail = next;
	}
	*in->last = NULL;
	return MPI_SUCCESS;
}

int mb_progress(mb_mesh *m)
{
	int kept = mb_keep_processor(), code = progress(m);
	mb_as_before(kept);
	return code;
}

int mb_recv(mb_mesh *m, int rank, int channel, size_t len)
{
	mb_inner *in = m->inner;
	int slot = (in->first + in->pieces) % 2;
	if (in->piece[slot] == NULL && (in->piece[slot] = malloc(MB_CHUNK)) == NULL)
		return MPI_ERR_NO_MEM;
	MB_TRY(MPI_Irecv(in->piece[slot], (int)len, MPI_BYTE, rank, MB_TAG_MAIL + channel, in->comm, &in->coming[slot]));
	in->expected[slot] = (int)len;
	in->pieces++;
	return MPI_SUCCESS;
}

int mb_recv_test(mb_mesh *m, int polls, char **piece)
{
	mb_inner *in = m->inner;
	int flag = 0, len;
	MPI_Status status;
	*piece = NULL;
	int kept = mb_keep_processor(), code = MPI_SUCCESS;
	while (code == MPI_SUCCESS && !flag && polls-- > 0)
		code = MPI_Test(&in->coming[in->first], &flag, &status);
	mb_as_before(kept);
	if (code != MPI_SUCCESS || !flag)
		return code;
	MB_TRY(MPI_Get_count(&status, MPI_BYTE, &len));
	if (len != in->expected[in->first])
		return MB_WRONG_LENGTH;
	*piece = in->piece[in->first];
	in->first = 1 - in->first;
	in->pieces--;
	return MPI_SUCCESS;
}

int mb_waiting(mb_mesh *m, int channel, int *rank, size_t *len)
{
	int there, n;
	MPI_Status status;
	*rank = -1;
	if (m->mails > 0)
		MB_TRY(mb_progress(m));
	int kept = mb_keep_processor(), code = MPI_Iprobe(MPI_ANY_SOURCE, MB_TAG_MAIL + channel, m->inner->comm, &there, &status);
	mb_as_before(kept);
	if (code != MPI_SUCCESS || !there)
		return code;
	MB_TRY(MPI_Get_count(&status, MPI_BYTE, &n));
	*rank = status.MPI_SOURCE;
	*len = (size_t)n;
	return MPI_SUCCESS;
}
