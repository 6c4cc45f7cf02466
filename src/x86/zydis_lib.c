/* SPDX-License-Identifier: BSD-2-Clause */
#include "x86/zydis_lib.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "base/mem.h"

#define LIBRARY "libZydis.so.4.0"

/* Written once, by load(), under `once`; read by everybody after it. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct zy_lib loaded;
static char *load_error;

static const struct {
	const char *name;
	size_t off;
} functions[] = {
#define ZY_FN(name) { #name, offsetof(struct zy_lib, name) },
#include "x86/zydis_fns.def"
#undef ZY_FN
};

static void
load(void)
{
	void *so = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);

	if (so == NULL) {
		load_error =
		    mem_printf("%s (Debian package libzydis4.0)", dlerror());
		return;
	}
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *f = dlsym(so, functions[i].name);

		if (f == NULL) {
			load_error =
			    mem_printf(LIBRARY " has no %s", functions[i].name);
			return;
		}
		memcpy((char *)&loaded + functions[i].off, &f, sizeof(f));
	}
}

const struct zy_lib *
zy_lib(char **msg)
{
	pthread_once(&once, load);
	if (load_error == NULL)
		return &loaded;
	*msg = mem_printf("instructions cannot be decoded: %s", load_error);
	return NULL;
}
