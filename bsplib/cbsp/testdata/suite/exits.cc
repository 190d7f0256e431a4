// Objects of a thread end before static ones: of a process at its end, of a thread that it makes with this.
#include <bsp.h>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

static std::string order;
static int pid;

struct Static {
	~Static() {
		if (order != "thread of 5, thread of 0, ")
			std::printf("process %d: %s\n", pid, order.c_str());
		else if (pid == 0)
			std::puts("all is right");
	}
} object;

struct Own {
	int number = 0;
	std::string text = std::string(100, 'x');
	~Own() {
		if (text == std::string(100, 'x'))
			order += "thread of " + std::to_string(number) + ", ";
	}
};

static thread_local Own own;

int main() {
	bsp_begin(bsp_nprocs());
	pid = bsp_pid();
	own.number = 0;
	std::recursive_mutex m;
	std::lock_guard<std::recursive_mutex> outer(m);
	for (int i = 0; i < 5; i++) {
		std::lock_guard<std::recursive_mutex> inner(m);
		bsp_sync();
	}
	std::thread([] { own.number = 5; }).join();
	for (int i = 0; i < 5; i++)
		bsp_sync();
	bsp_end();
}
