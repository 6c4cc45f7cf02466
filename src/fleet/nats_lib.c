/* SPDX-License-Identifier: BSD-2-Clause */
#include "fleet/nats_lib.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>

#include "base/dynlib.h"
#include "sonames.h"

/* load() writes these once, under `once`; all threads read them after that. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
struct fl_nats fl_nats;
static char *load_error;

static const struct dynlib_fn functions[] = {
#define NATS_FN(name) { #name, offsetof(struct fl_nats, name) },
#include "fleet/nats_fns.def"
#undef NATS_FN
};

static void
load(void)
{
	load_error = dynlib_load(SONAME_NATS, PACKAGE_NATS, functions,
	    sizeof(functions) / sizeof(functions[0]), &fl_nats);
}

int
fl_nats_load(struct err *err)
{
	pthread_once(&once, load);
	if (load_error == NULL)
		return 0;
	return err_set(err, -ENOENT, "a fleet needs NATS: %s", load_error);
}
