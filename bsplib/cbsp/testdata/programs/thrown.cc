// Exceptions that are on their way, or kept, while their process synchronises and moves; variables of threads, and
// static ones that synchronise when they are made.
#include <bsp.h>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#define CHECK(x) do { if (!(x)) bsp_abort("%s:%d: not so: %s", __FILE__, __LINE__, #x); } while (0)

static int made;

struct Local {
	int value = 7;
	std::string text = "longer than what fits into a string itself";
	Local() { made++; }
};
static thread_local Local local;

struct Meets {
	int pid;
	Meets() {
		bsp_sync();
		pid = bsp_pid();
		bsp_sync();
	}
};

static Meets &once() {
	static Meets m;
	return m;
}

struct Error : std::runtime_error {
	int pid;
	explicit Error(int pid) : std::runtime_error("error"), pid(pid) {}
};

struct Unwound {
	~Unwound() {
		bsp_sync();
		CHECK(std::uncaught_exceptions() == 1);
		bsp_sync();
	}
};

static void deep(int n) {
	std::vector<int> values(n, n);
	if (n == 0) {
		Unwound u;
		throw Error(bsp_pid());
	}
	deep(n - 1);
}

int main() {
	bsp_begin(bsp_nprocs());
	int s = bsp_pid(), caught = 0;
	local.value += s;
	CHECK(once().pid == s && once().pid == s);
	std::exception_ptr kept;
	for (int i = 0; i < 4; i++) {
		try {
			try {
				deep(5 + i);
			} catch (const Error &e) {
				bsp_sync();
				CHECK(e.pid == s && std::uncaught_exceptions() == 0);
				try {
					throw std::string("within");
				} catch (std::string &text) {
					bsp_sync();
					CHECK(text == "within");
				}
				bsp_sync();
				kept = std::current_exception();
				throw;
			}
		} catch (std::exception &e) {
			bsp_sync();
			caught += std::string(e.what()) == "error";
		}
		bsp_sync();
	}
	try {
		std::rethrow_exception(kept);
	} catch (Error &e) {
		bsp_sync();
		CHECK(e.pid == s);
	}
	CHECK(caught == 4 && local.value == 7 + s && local.text.size() == 42 && made == 1);
	if (s == 0)
		std::printf("all is right\n");
	bsp_end();
}
