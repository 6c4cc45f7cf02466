/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * remains LIBRARY: code that moves to unexpected places.  It loads the library
 * (dlopened.c), and obeys lines of input:
 *
 *	load, unload	another copy of the library, in a namespace of its own
 *	drop		unload the library
 *	copy		move the library's code to memory without a file
 *	fork		make a child, which waits
 *	child		the child calls all functions, and ends
 *	call		the program calls all functions, and goes on
 *
 * It answers each line by the line and a number: 0, the number of the failure,
 * or a child's status.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

long fn_highest(long a);

__attribute__((noipa)) long
fn_highest(long a)
{
	return a + 1;
}

static const char *path;
static void *lib, *copy;
static int calls[2];
static pid_t child;

static int
load(void)
{
	copy = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
	if (copy == NULL)
		fprintf(stderr, "%s\n", dlerror());
	return copy == NULL;
}

static int
unload(void)
{
	return dlclose(copy);
}

static int
drop(void)
{
	int rc = dlclose(lib);

	lib = NULL;
	return rc;
}

/* Move the code, as programs do that move theirs to large pages. */
static int
move(void)
{
	uintptr_t at = (uintptr_t)dlsym(lib, "fn_loaded") & ~(uintptr_t)4095;
	void *to = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(to, (void *)at, 4096);
	mprotect(to, 4096, PROT_READ | PROT_EXEC);
	return mremap(to, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED,
		   (void *)at) != (void *)at;
}

static int
call(void)
{
	long (*f)(long) =
	    lib != NULL ? (long (*)(long))dlsym(lib, "fn_loaded") : NULL;
	int rc = f != NULL && f(1) != getpgrp() + 1;

	return rc || fn_highest(1) != 2;
}

static int
make_child(void)
{
	char byte;

	child = fork();
	if (child == 0)
		_exit(read(calls[0], &byte, 1) != 1 || call());
	return child < 0;
}

static int
have_child_call(void)
{
	int status = -1;

	if (write(calls[1], "", 1) != 1)
		return -1;
	waitpid(child, &status, 0);
	return status;
}

static const struct {
	const char *name;
	int (*does)(void);
} orders[] = {
	{ "load", load },
	{ "unload", unload },
	{ "drop", drop },
	{ "copy", move },
	{ "fork", make_child },
	{ "child", have_child_call },
	{ "call", call },
};

static void
obey(const char *line)
{
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		if (strcmp(line, orders[i].name) == 0)
			printf("%s %d\n", line, orders[i].does());
	}
	fflush(stdout);
}

int
main(int argc, char *argv[])
{
	char line[16];

	path = argc == 2 ? argv[1] : "";
	lib = dlopen(path, RTLD_NOW);
	if (lib == NULL || pipe(calls) != 0)
		return 1;
	while (fgets(line, sizeof(line), stdin) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		obey(line);
	}
	return 0;
}
