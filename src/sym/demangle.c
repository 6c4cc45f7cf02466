/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Demangle C++ names with the demangler of the C++ run-time library, which is
 * loaded for the first such name.
 *
 * That demangler expects a program's own names, but ours are hostile: a name of
 * a hundred characters can stand for a text of gigabytes.  The text grows where
 * the name refers back to parts of itself (S_, S0_, T_), by less than 3 ^ (n /
 * 3) for n references.  So names with too many references are left as they are.
 */
#include "sym/demangle.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "libstdc++.so.6"
#define NAME_MAX 2048
#define REFS_MAX 30
#define TEXT_MAX 4096

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

/* Count "S_", "S1Z_", "T0_"; counting too many does no harm. */
static unsigned
references(const char *name)
{
	unsigned n = 0;

	for (const char *p = name; *p != '\0'; p++) {
		size_t len =
		    strspn(p + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");

		n += (*p == 'S' || *p == 'T') && p[1 + len] == '_';
	}
	return n;
}

static char *
demangle_cxx(const char *name)
{
	int status;

	if (references(name) > REFS_MAX)
		return NULL;
	pthread_once(&once, load);
	return cxx_demangle != NULL ? cxx_demangle(name, NULL, NULL, &status) :
				      NULL;
}

char *
demangle_name(const char *name)
{
	char *text;

	if (name[0] != '_' || strnlen(name, NAME_MAX) == NAME_MAX)
		return NULL;
	text = demangle_rust(name);
	if (text == NULL && strncmp(name, "_Z", 2) == 0)
		text = demangle_cxx(name);
	if (text != NULL && strnlen(text, TEXT_MAX) == TEXT_MAX) {
		free(text);
		return NULL;
	}
	return text;
}
