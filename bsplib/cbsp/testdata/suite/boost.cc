// Boost: serialization by a shared library, random numbers, containers over barriers.
// link: -lboost_serialization
#include <boost/archive/text_iarchive.hpp>
#include <boost/archive/text_oarchive.hpp>
#include <boost/lexical_cast.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <boost/serialization/map.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <bsp.h>
#include <map>
#include <sstream>

int main() {
	bsp_begin(bsp_nprocs());
	int pid = bsp_pid();
	boost::random::mt19937 r(pid), same(pid);
	std::map<std::string, std::vector<int>> all, read;
	for (int i = 0; i < 20; i++) {
		bsp_sync();
		all[boost::lexical_cast<std::string>(i * pid)].push_back(i);
		std::ostringstream out;
		{
			boost::archive::text_oarchive a(out);
			a << all;
		}
		bsp_sync();
		std::istringstream in(out.str());
		boost::archive::text_iarchive a(in);
		a >> read;
		if (read != all)
			bsp_abort("read something else");
		boost::random::uniform_int_distribution<> d(1, 1000000);
		if (d(r) != d(same))
			bsp_abort("other random numbers");
	}
	if (pid == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
