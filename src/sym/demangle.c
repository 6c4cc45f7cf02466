/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of C++, by the demangler of its own run-time library, which is loaded
 * when the first one is met.
 *
 * It is made to serve programs that demangle their own names, so what it gets
 * here is bounded: a name of some hundred characters can stand for a text of
 * gigabytes.
 */
#include "sym/demangle.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define LIBRARY "libstdc++.so.6"
#define NAME_MAX 2048

typedef char *demangle_f(const char *name, char *buf, size_t *len, int *status);

/* Written once, under `once`. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static demangle_f *cxx_demangle;

static void
load(void)
{
	void *so = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
	void *f = so != NULL ? dlsym(so, "__cxa_demangle") : NULL;

	memcpy(&cxx_demangle, &f, sizeof(f));
}

static char *
demangle_cxx(const char *name)
{
	int status;

	pthread_once(&once, load);
	return cxx_demangle != NULL ? cxx_demangle(name, NULL, NULL, &status) :
				      NULL;
}

char *
demangle(const char *name)
{
	char *text;

	if (name[0] != '_' || strnlen(name, NAME_MAX) == NAME_MAX)
		return NULL;
	text = demangle_rust(name);
	if (text != NULL || strncmp(name, "_Z", 2) != 0)
		return text;
	return demangle_cxx(name);
}
