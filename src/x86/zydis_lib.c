/* SPDX-License-Identifier: BSD-2-Clause */
#include "x86/zydis_lib.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/dynlib.h"
#include "base/err.h"
#include "base/mem.h"
#include "sonames.h"

/* Written once, by load(), under `once`; read by everybody after it. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct zy_lib loaded;
static char *load_error;

static const struct dynlib_fn functions[] = {
#define ZY_FN(name) { #name, offsetof(struct zy_lib, name) },
#include "x86/zydis_fns.def"
#undef ZY_FN
};

/*
 * Minor versions change structures although one soname should mean one
 * interface.
 */
static char *
check_version(ZyanU64 built, ZyanU64 found)
{
	unsigned want[] = { ZYDIS_VERSION_MAJOR(built),
		ZYDIS_VERSION_MINOR(built) };
	unsigned got[] = { ZYDIS_VERSION_MAJOR(found),
		ZYDIS_VERSION_MINOR(found) };

	if (memcmp(want, got, sizeof(want)) == 0)
		return NULL;
	return mem_printf("%s is version %u.%u, but dtrace was built for "
			  "version %u.%u (Debian package %s)",
	    SONAME_ZYDIS, got[0], got[1], want[0], want[1], PACKAGE_ZYDIS);
}

static void
load(void)
{
	load_error = dynlib_load(SONAME_ZYDIS, PACKAGE_ZYDIS, functions,
	    sizeof(functions) / sizeof(functions[0]), &loaded);
	if (load_error == NULL)
		load_error =
		    check_version(ZYDIS_VERSION, loaded.ZydisGetVersion());
}

const struct zy_lib *
zy_lib(struct err *err)
{
	pthread_once(&once, load);
	if (load_error == NULL)
		return &loaded;
	err_set(err, -EINVAL, "instructions cannot be decoded: %s", load_error);
	return NULL;
}
