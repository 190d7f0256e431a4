// Threads that a process starts have variables of their own, and call the library as in any program.
#include <bsp.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <future>
#include <regex.h>
#include <string>
#include <thread>
#include <vector>

#define CHECK(x) do { if (!(x)) bsp_abort("%s:%d: not so: %s", __FILE__, __LINE__, #x); } while (0)
#define MUST(x) do { if (!(x)) return -__LINE__; } while (0)

static int by(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static std::vector<int> &shared() {
	static std::vector<int> v(100, 7);
	return v;
}

static int work(int k) {
	thread_local std::string own = "own";
	int values[1000], number = 0;
	char text[] = "a b c", *rest;
	regex_t pattern;
	for (int i = 0; i < 1000; i++) {
		own += static_cast<char>('0' + k);
		values[i] = rand() % 1000;
	}
	MUST(own == "own" + std::string(1000, static_cast<char>('0' + k)));
	qsort(values, 1000, sizeof *values, by);
	MUST(std::is_sorted(values, values + 1000) && drand48() < 1);
	MUST(getenv("PATH") && !setenv("OF_THREAD", "1", 1));
	MUST(strtok_r(text, " ", &rest) == text);
	MUST(!regcomp(&pattern, "a+b", REG_EXTENDED) && !regexec(&pattern, "xaab", 0, nullptr, 0));
	regfree(&pattern);
	MUST(sscanf("12 34", "%d", &number) == 1 && number == 12);
	errno = 0;
	MUST(strtol("99999999999999999999", nullptr, 10) && errno == ERANGE);
	return shared()[k];
}

int main() {
	bsp_begin(bsp_nprocs());
	int got[4] = {0};
	bsp_sync();
	std::vector<std::thread> threads;
	for (int k = 0; k < 4; k++)
		threads.emplace_back([&got, k] { got[k] = work(k); });
	for (auto &t : threads)
		t.join();
	for (int k : got)
		CHECK(k == 7);
	CHECK(std::async(std::launch::async, work, 5).get() == 7);
	bsp_sync();
	CHECK(work(6) == 7);
	bsp_sync();
	if (bsp_pid() == 0)
		std::puts("all is right");
	bsp_end();
}
