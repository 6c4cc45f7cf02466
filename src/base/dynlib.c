/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/dynlib.h"

#include <dlfcn.h>
#include <string.h>

#include "base/mem.h"

char *
dynlib_load(const char *library, const char *package,
    const struct dynlib_fn *fns, size_t n, void *pointers)
{
	void *so = dlopen(library, RTLD_LAZY | RTLD_LOCAL);

	if (so == NULL)
		return mem_printf("%s (Debian package %s)", dlerror(), package);
	for (size_t i = 0; i < n; i++) {
		void *f = dlsym(so, fns[i].name);

		if (f == NULL)
			return mem_printf("%s has no %s", library, fns[i].name);
		memcpy((char *)pointers + fns[i].off, &f, sizeof(f));
	}
	return NULL;
}
