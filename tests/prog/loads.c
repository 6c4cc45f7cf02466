/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loads LIBRARY N: twice, load the library, call its fn_loaded() N times, and
 * unload it; its constructor makes one more call each time.
 *
 * loads exec PROGRAM ARGUMENT...: run the program instead.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int
load(const char *path, long n)
{
	void *lib = dlopen(path, RTLD_NOW);
	long (*f)(long);

	if (lib == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	f = (long (*)(long))dlsym(lib, "fn_loaded");
	for (long i = 0; i < n; i++)
		f(i);
	dlclose(lib);
	return 0;
}

int
main(int argc, char *argv[])
{
	if (argc > 2 && strcmp(argv[1], "exec") == 0) {
		execv(argv[2], argv + 2);
		perror(argv[2]);
		return 1;
	}
	if (argc < 3)
		return 2;
	return load(argv[1], atol(argv[2])) || load(argv[1], atol(argv[2]));
}
