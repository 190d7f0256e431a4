// The C++ library's state is the process's: formats of std::cout, its locale, the new handler, the terminate
// handler, the current exception and uncaught exceptions over barriers.
#include <bsp.h>
#include <exception>
#include <iomanip>
#include <iostream>
#include <locale>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>

template <int N> struct digits : std::numpunct<char> {
	char do_decimal_point() const { return N % 2 ? ',' : ';'; }
};
template <int N> void handler() { throw std::bad_alloc(); }
template <int N> void ends() { abort(); }

struct syncs {
	int *seen;
	~syncs() { bsp_sync(), *seen = std::uncaught_exceptions(); }
};

int main() {
	bsp_begin(bsp_nprocs());
	int pid = bsp_pid();
	std::cout << std::setprecision(pid + 3) << std::fixed;
	std::set_new_handler(pid % 2 ? handler<1> : handler<2>);
	std::set_terminate(pid % 2 ? ends<1> : ends<2>);
	std::locale::global(std::locale(std::locale(), pid % 2 ? (std::numpunct<char> *)new digits<1> : new digits<2>));
	for (int i = 0; i < 10; i++) {
		bsp_sync();
		std::ostringstream text;
		text << 1.5;
		if (text.str() != (pid % 2 ? "1,5" : "1;5"))
			bsp_abort("%s", text.str().c_str());
		if (std::cout.precision() != pid + 3 || std::get_new_handler() != (pid % 2 ? handler<1> : handler<2>) || std::get_terminate() != (pid % 2 ? ends<1> : ends<2>))
			bsp_abort("another process's state");
		int during = -1;
		try {
			syncs s{&during};
			throw std::runtime_error("of " + std::to_string(pid));
		} catch (std::exception &e) {
			bsp_sync();
			std::exception_ptr p = std::current_exception();
			bsp_sync();
			try {
				std::rethrow_exception(p);
			} catch (std::runtime_error &same) {
				if (same.what() != "of " + std::to_string(pid) || during != 1 || std::uncaught_exceptions() != 0)
					bsp_abort("%s, %d", same.what(), during);
			}
		}
		try {
			std::stoi("no number");
			bsp_abort("no exception");
		} catch (std::invalid_argument &) {
		}
	}
	std::locale::global(std::locale::classic());
	if (pid == 0)
		std::cout << "all is right" << std::endl;
	bsp_end();
	return 0;
}
