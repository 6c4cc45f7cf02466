/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dlopens N LIBRARY...: load N libraries in turn, beginning again after the
 * last, and call a function of each.  A library is unloaded once the next one
 * is loaded, so each gets the place of an earlier one.  Prints the milliseconds
 * that this took.
 *
 * dlopens -w N LIBRARY...: the same, but wait for a line of input before it,
 * and for another before the end.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CALLS 2

static double
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static void *
load(const char *path)
{
	void *lib = dlopen(path, RTLD_NOW);
	long (*f)(long);

	if (lib == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	f = (long (*)(long))dlsym(lib, "fn_loaded");
	for (long i = 0; f != NULL && i < CALLS; i++)
		f(i);
	return lib;
}

static void
load_all(long n, char *const *paths, int npaths)
{
	double begin = now_ms();
	void *before = NULL;

	for (long i = 0; i < n; i++) {
		void *lib = load(paths[i % npaths]);

		if (before != NULL)
			dlclose(before);
		before = lib;
	}
	if (before != NULL)
		dlclose(before);
	printf("%.1f\n", now_ms() - begin);
	fflush(stdout);
}

int
main(int argc, char *argv[])
{
	char line[16];
	int waits = argc > 1 && strcmp(argv[1], "-w") == 0;
	int at = 1 + waits;

	if (argc < at + 2)
		return 2;
	if (waits && fgets(line, sizeof(line), stdin) == NULL)
		return 1;
	load_all(atol(argv[at]), argv + at + 1, argc - at - 1);
	return waits && fgets(line, sizeof(line), stdin) == NULL;
}
