//go:build mpi && cgo

#define _GNU_SOURCE
#include "signals.h"

#include <signal.h>
#include <unistd.h>

static struct sigaction saved[NSIG];
static volatile sig_atomic_t held; /* a SIGUSR1 has come */

static void hold(int number)
{
	(void)number;
	held = 1;
}

static int has_handler(const struct sigaction *a)
{
	return a->sa_flags & SA_SIGINFO || (a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN);
}

void mb_signals_save(void)
{
	for (int n = 1; n < NSIG; n++)
		sigaction(n, NULL, &saved[n]);
	if (has_handler(&saved[SIGUSR1])) {
		struct sigaction holding = {.sa_handler = hold, .sa_flags = SA_RESTART | SA_ONSTACK};
		sigfillset(&holding.sa_mask);
		sigaction(SIGUSR1, &holding, NULL);
	}
}

void mb_signals_repair(void)
{
	for (int n = 1; n < NSIG; n++) {
		struct sigaction now;
		if (sigaction(n, NULL, &now))
			continue; /* the C library keeps some signals for itself */
		if (has_handler(&saved[n])) {
			if (now.sa_sigaction != saved[n].sa_sigaction || now.sa_flags != saved[n].sa_flags)
				sigaction(n, &saved[n], NULL);
		} else if (has_handler(&now) && !(now.sa_flags & SA_ONSTACK)) {
			now.sa_flags |= SA_ONSTACK;
			sigaction(n, &now, NULL);
		}
	}
	if (held) {
		held = 0;
		kill(getpid(), SIGUSR1);
	}
}
