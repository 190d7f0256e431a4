/* Objects that process 0 has made before bsp_begin are in each process, which changes its own; process 0 destroys them. */
#include <bsp.h>
#include <map>
#include <string>
#include <vector>

struct Counted {
	std::vector<int> v{1, 2, 3};
	~Counted() { puts("all is right"); }
};
static std::map<std::string, std::vector<double>> table;
static std::string text;
static Counted counted;

static void spmd() {
	bsp_begin(bsp_nprocs());
	int s = bsp_pid(), x = 0;
	if (table["one"].size() != 1 || table["many"].size() != 1000 || table["many"][999] != 999 || text != std::string(100, 'x') || counted.v.size() != 3)
		bsp_abort("objects of process %d are wrong", s);
	for (int i = 0; i < 100 * s; i++)
		table["of " + std::to_string(i)].push_back(i);
	text += std::to_string(s);
	bsp_push_reg(&x, sizeof x);
	bsp_sync();
	bsp_put((s + 1) % bsp_nprocs(), &s, &x, 0, sizeof s);
	bsp_sync();
	if ((int)table.size() != 2 + 100 * s || text.size() != 101 || x != (s + bsp_nprocs() - 1) % bsp_nprocs())
		bsp_abort("process %d has %d entries", s, (int)table.size());
	table.clear();
	bsp_end();
}

int main(int argc, char **argv) {
	bsp_init(spmd, argc, argv);
	table["one"] = {1};
	for (int i = 0; i < 1000; i++)
		table["many"].push_back(i);
	text = std::string(100, 'x');
	spmd();
	return 0;
}
