/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Load a library that has probes, call it, unload it; again and again.
 *
 *	usdtload LIBRARY TIMES CALLS [MICROSECONDS before each CALLS]
 *
 * prints how often the library's probe fired.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	int times = argc > 2 ? atoi(argv[2]) : 1;
	int calls = argc > 3 ? atoi(argv[3]) : 1;
	useconds_t pause = argc > 4 ? (useconds_t)atoi(argv[4]) : 0;
	unsigned long n = 0;

	for (int i = 0; i < times && argc > 1; i++) {
		void *lib = dlopen(argv[1], RTLD_NOW);
		void (*fire)(int) = NULL;

		if (lib != NULL)
			fire = (void (*)(int))dlsym(lib, "usdtlib_fire");
		if (fire == NULL) {
			fprintf(stderr, "usdtload: %s\n", dlerror());
			return 1;
		}
		if (pause != 0)
			usleep(pause);
		for (int k = 0; k < calls; k++, n++)
			fire(k);
		dlclose(lib);
	}
	printf("fired %lu\n", n);
	return 0;
}
