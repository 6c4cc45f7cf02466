/* SPDX-License-Identifier: BSD-2-Clause */
#include "fleet/sodium_lib.h"

#include <errno.h>
#include <pthread.h>

#include "base/dynlib.h"
#include "base/mem.h"
#include "sonames.h"

/* Written once, by load(), under `once`; read by everybody after it. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct na_lib loaded;
static char *load_error;

static const struct dynlib_fn functions[] = {
#define NA_FN(name) { #name, offsetof(struct na_lib, name) },
#include "fleet/sodium_fns.def"
#undef NA_FN
};

static void
load(void)
{
	load_error = dynlib_load(SONAME_SODIUM, PACKAGE_SODIUM, functions,
	    sizeof(functions) / sizeof(functions[0]), &loaded);
	/* 1: another part of the program has initialized it. */
	if (load_error == NULL && loaded.sodium_init() < 0)
		load_error = mem_printf(
		    "%s has no source of random numbers", SONAME_SODIUM);
}

const struct na_lib *
na_lib(struct err *err)
{
	pthread_once(&once, load);
	if (load_error == NULL)
		return &loaded;
	err_set(err, -ENOTSUP, "requests cannot be signed or verified: %s",
	    load_error);
	return NULL;
}
