// C++ with constructors, containers, virtual calls, and exceptions that are thrown after moves.
#include <bsp.h>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

struct Counts {
	std::vector<int> values;
	Counts() : values(10, 3) {}
	~Counts() { std::printf("process %d: %zu values\n", pid, values.size()); }
	int pid = -1;
};
static Counts counts;

struct Shape { virtual int sides() const { return 0; } virtual ~Shape() {} };
struct Square : Shape { int sides() const override { return 4; } };

static int thrown(int s) {
	if (s % 10 == 0)
		throw std::runtime_error("round " + std::to_string(s));
	return 0;
}

int main() {
	bsp_begin(bsp_nprocs());
	counts.pid = bsp_pid();
	Shape *shape = new Square;
	std::map<std::string, int> map;
	int caught = 0;
	for (int s = 0; s < 60; s++) {
		map["k" + std::to_string(s)] = s;
		counts.values.push_back(s);
		bsp_sync();
		try {
			thrown(s);
		} catch (const std::exception &e) {
			caught += std::string(e.what()) == "round " + std::to_string(s);
		}
	}
	if (map["k59"] != 59 || map.size() != 60 || counts.values.size() != 70 || shape->sides() != 4 || caught != 6)
		bsp_abort("process %d: wrong", bsp_pid());
	bsp_sync();
	if (bsp_pid() == 0)
		std::printf("all is right\n");
	bsp_end();
}
