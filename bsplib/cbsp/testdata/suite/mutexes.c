/* Mutexes of all types, locks of readers and writers and the number of the thread are the process's, where it moves. */
#define _GNU_SOURCE
#include <bsp.h>
#include <errno.h>
#include <pthread.h>
#include <threads.h>
#include <unistd.h>

#define CHECK(x) do { if (!(x)) bsp_abort("%s:%d: not so: %s", __FILE__, __LINE__, #x); } while (0)

static pthread_mutex_t made(int type) {
	pthread_mutex_t m;
	pthread_mutexattr_t a;
	CHECK(!pthread_mutexattr_init(&a) && !pthread_mutexattr_settype(&a, type) && !pthread_mutex_init(&m, &a));
	return m;
}

int main(void) {
	bsp_begin(bsp_nprocs());
	pthread_t self = pthread_self(), other;
	pthread_attr_t attributes;
	int tid = gettid(), level;
	void *stack;
	size_t size;
	pthread_mutex_t recursive = made(PTHREAD_MUTEX_RECURSIVE), checks = made(PTHREAD_MUTEX_ERRORCHECK), normal = made(PTHREAD_MUTEX_NORMAL);
	pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
	mtx_t m;
	CHECK(mtx_init(&m, mtx_plain | mtx_recursive) == thrd_success);
	for (int i = 0; i < 30; i++) {
		CHECK(!pthread_mutex_lock(&recursive) && !pthread_mutex_lock(&checks) && !pthread_mutex_lock(&normal) && !pthread_rwlock_wrlock(&lock) && mtx_lock(&m) == thrd_success);
		bsp_sync();
		CHECK(!pthread_mutex_trylock(&recursive) && pthread_mutex_lock(&checks) == EDEADLK && pthread_rwlock_trywrlock(&lock) == EBUSY);
		bsp_sync();
		CHECK(!pthread_mutex_unlock(&recursive) && !pthread_mutex_unlock(&checks) && mtx_trylock(&m) == thrd_success && mtx_unlock(&m) == thrd_success);
		bsp_sync();
		CHECK(!pthread_mutex_unlock(&recursive) && pthread_mutex_unlock(&recursive) == EPERM && !pthread_mutex_unlock(&normal) && mtx_unlock(&m) == thrd_success);
		CHECK(!pthread_rwlock_unlock(&lock) && !pthread_rwlock_rdlock(&lock) && !pthread_rwlock_rdlock(&lock));
		bsp_sync();
		CHECK(!pthread_rwlock_unlock(&lock) && !pthread_rwlock_unlock(&lock));
		CHECK(pthread_equal(self, pthread_self()) && tid == gettid());
		CHECK(!pthread_getattr_np(pthread_self(), &attributes) && !pthread_attr_getstack(&attributes, &stack, &size));
		CHECK((char *)&level > (char *)stack && (char *)&level < (char *)stack + size);
	}
	bsp_sync();
	if (bsp_pid() == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
