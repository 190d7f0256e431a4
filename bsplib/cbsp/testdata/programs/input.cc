// Process 0 reads lines with the streams of C++, with a buffer of theirs, between supersteps.
#include <bsp.h>

#include <iostream>
#include <string>

int main(int argc, char **argv) {
	if (argc > 1 && argv[1] == std::string("apart"))
		std::ios::sync_with_stdio(false);
	bsp_begin(bsp_nprocs());
	for (int i = 1; i <= 300; i++) {
		std::string line;
		if (bsp_pid() == 0 && (!std::getline(std::cin, line) || line != std::to_string(i)))
			bsp_abort("line %d is %s", i, line.c_str());
		bsp_sync();
	}
	if (bsp_pid() == 0)
		std::cout << "all is right" << std::endl;
	bsp_end();
}
