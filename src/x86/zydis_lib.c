/* SPDX-License-Identifier: BSD-2-Clause */
#include "x86/zydis_lib.h"

#include <pthread.h>

#include "base/dynlib.h"
#include "base/mem.h"

#define LIBRARY "libZydis.so.4.0"

/* Written once, by load(), under `once`; read by everybody after it. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct zy_lib loaded;
static char *load_error;

static const struct dynlib_fn functions[] = {
#define ZY_FN(name) { #name, offsetof(struct zy_lib, name) },
#include "x86/zydis_fns.def"
#undef ZY_FN
};

static void
load(void)
{
	load_error = dynlib_load(LIBRARY, "libzydis4.0", functions,
	    sizeof(functions) / sizeof(functions[0]), &loaded);
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
