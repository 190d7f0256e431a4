/* Each process has its own blocked and pending signals, and its own alarm. */
#define _GNU_SOURCE
#include <bsp.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define CHECK(x) do { if (!(x)) bsp_abort("process %d, line %d: not so: %s", bsp_pid(), __LINE__, #x); } while (0)

static volatile sig_atomic_t usr1, alarms;
static sigjmp_buf back;
static void count(int number) { number == SIGUSR1 ? usr1++ : alarms++; }
static void jump(int number) { siglongjmp(back, number); }
static int blocks(int number) {
	sigset_t now;
	CHECK(!sigprocmask(SIG_BLOCK, NULL, &now));
	return sigismember(&now, number);
}

int main(void) {
	sigset_t some, old, none;
	bsp_begin(bsp_nprocs());
	int s = bsp_pid();
	sigemptyset(&none);
	sigemptyset(&some);
	sigaddset(&some, SIGUSR1);
	if (s % 2)
		CHECK(!sigprocmask(SIG_BLOCK, &some, &old) && !sigismember(&old, SIGUSR1));
	bsp_sync();
	for (int i = 0; i < 5; i++) {
		CHECK(blocks(SIGUSR1) == s % 2 && !blocks(SIGUSR2));
		bsp_sync();
	}
	if (sigsetjmp(back, 1) == 0) { /* a jump brings the signals back that were blocked */
		sigaddset(&some, SIGUSR2);
		CHECK(!pthread_sigmask(SIG_BLOCK, &some, NULL) && blocks(SIGUSR1) && blocks(SIGUSR2));
		bsp_sync();
		siglongjmp(back, 1);
	}
	CHECK(blocks(SIGUSR1) == s % 2 && !blocks(SIGUSR2));
	bsp_sync();
	signal(SIGUSR1, count);
	for (int i = 0; i < 3; i++) { /* what is pending comes later */
		raise(SIGUSR1);
		kill(getpid(), SIGUSR1);
		CHECK(usr1 == (s % 2 ? i : 2 * (i + 1)));
		bsp_sync();
		CHECK(!sigpending(&old) && sigismember(&old, SIGUSR1) == s % 2);
		bsp_sync();
		if (s % 2) {
			CHECK(!sigprocmask(SIG_UNBLOCK, &some, NULL) && usr1 == i + 1);
			sigdelset(&some, SIGUSR2);
			CHECK(!sigprocmask(SIG_BLOCK, &some, NULL));
		}
		bsp_sync();
	}
	struct sigaction action;
	CHECK(!sigaction(SIGUSR1, NULL, &action) && action.sa_handler == count);
	signal(SIGUSR1, SIG_DFL);
	signal(SIGALRM, count);
	struct itimerval soon = {{0, 0}, {0, 1000 * (1 + s)}}, often = {{0, 1000}, {0, 1000 * (1 + s)}}, never = {{0}}, left;
	CHECK(!setitimer(ITIMER_REAL, &often, NULL)); /* each process has an alarm */
	while (alarms < 3)
		pause();
	CHECK(!setitimer(ITIMER_REAL, &never, &left) && left.it_interval.tv_usec == 1000);
	alarms = 1;
	bsp_sync();
	alarm(1000);
	bsp_sync();
	CHECK(alarm(0) > 990 && alarms == 1 && alarm(0) == 0);
	sigaddset(&some, SIGALRM);
	sigprocmask(SIG_BLOCK, &some, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	int got = 0;
	CHECK(!sigwait(&some, &got) && got == SIGALRM && alarms == 1);
	setitimer(ITIMER_REAL, &soon, NULL);
	CHECK(sigsuspend(&none) == -1 && errno == EINTR && alarms == 2);
	bsp_sync();
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGALRM, jump);
	for (volatile int i = 0; i < 3; i++) {
		if (sigsetjmp(back, 1) == 0) {
			setitimer(ITIMER_REAL, &soon, NULL);
			for (;;)
				pause();
		}
		CHECK(!blocks(SIGALRM));
		bsp_sync();
	}
	signal(SIGALRM, SIG_DFL);
	signal(SIGUSR2, SIG_IGN);
	bsp_sync();
	raise(SIGUSR2);
	bsp_sync();
	if (s == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
