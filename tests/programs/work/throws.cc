// SPDX-License-Identifier: BSD-2-Clause
#include <algorithm>
#include <atomic>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct held {
	static std::atomic<int> alive;
	held() { alive++; }
	~held() { alive--; }
};
std::atomic<int> held::alive(0);

static int
deep(int n)
{
	held h;
	std::unique_ptr<int> p(new int(n));

	if (n == 0)
		throw std::runtime_error("bottom");
	return deep(n - 1) + *p;
}

int
main()
{
	std::map<std::string, int> names;
	std::vector<std::thread> threads;
	int caught = 0;

	for (int i = 0; i < 200; i++) {
		try {
			deep(i % 20);
		} catch (const std::exception &e) {
			caught += e.what() == std::string("bottom");
		}
		names[std::to_string(i * 31 % 97)] += i;
	}
	std::vector<int> parts(4);
	for (int i = 0; i < 4; i++)
		threads.emplace_back([i, &parts] {
			for (int k = 0; k < 1000; k++) {
				try {
					deep(k % 5);
				} catch (...) {
					parts[i]++;
				}
			}
		});
	for (auto &t : threads)
		t.join();
	for (int n : parts)
		caught += n;
	std::cout << caught << " " << held::alive << " " << names.size()
		  << " " << names["5"] << std::endl;
	return 0;
}
