// Regular expressions, directories, random engines, maps and streams of the C++ library over barriers.
// options: -std=c++17
#include <algorithm>
#include <bsp.h>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <regex>
#include <sstream>

struct counted {
	static inline int alive = 0;
	counted() { alive++; }
	~counted() { alive--; }
};

int main() {
	bsp_begin(bsp_nprocs());
	int pid = bsp_pid();
	std::regex words("([a-z]+)(\\d*)");
	std::mt19937 engine(pid), same(pid);
	std::map<std::string, std::shared_ptr<counted>> all;
	std::ostringstream text;
	for (int i = 0; i < 20; i++) {
		bsp_sync();
		std::smatch found;
		std::string word = "step" + std::to_string(i * pid);
		if (!std::regex_match(word, found, words) || found[2].str() != std::to_string(i * pid))
			bsp_abort("%s", found[2].str().c_str());
		if (engine() != same())
			bsp_abort("random numbers");
		all[word] = std::make_shared<counted>();
		text << i * pid << ' ';
		bsp_sync();
		if (counted::alive != (int)all.size() || !std::filesystem::is_directory("/"))
			bsp_abort("%d objects", counted::alive);
	}
	std::istringstream in(text.str());
	for (int i = 0, k; i < 20; i++)
		if (!(in >> k) || k != i * pid)
			bsp_abort("read %d", k);
	all.clear();
	if (counted::alive)
		bsp_abort("%d objects are left", counted::alive);
	if (pid == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
