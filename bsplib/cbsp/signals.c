// Signals that the program's own instruction causes, which others may have handlers of.
#define _GNU_SOURCE
#include <signal.h>

#include "inside.h"

static struct sigaction before[NSIG];

int migbsp_is_fault(int number) {
	return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL || number == SIGABRT || number == SIGTRAP;
}

// migbsp_handle has a function handle a signal, on a stack of its own and before all others.
void migbsp_handle(int number, void (*caught)(int, siginfo_t *, void *)) {
	struct sigaction action = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
	sigfillset(&action.sa_mask);
	sigaction(number, &action, &before[number]);
}

// migbsp_hand_on gives a signal to who handled it before.
void migbsp_hand_on(int number, siginfo_t *info, void *context) {
	struct sigaction *b = &before[number];
	if (b->sa_flags & SA_SIGINFO)
		b->sa_sigaction(number, info, context);
	else if (b->sa_handler == SIG_DFL) {
		signal(number, SIG_DFL);
		raise(number);
	} else if (b->sa_handler != SIG_IGN)
		b->sa_handler(number);
}
