/* SPDX-License-Identifier: BSD-2-Clause */
#include "provider/pfm_lib.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>

#include <perfmon/pfmlib_perf_event.h>

#include "base/dynlib.h"
#include "base/err.h"
#include "base/mem.h"
#include "sonames.h"

static struct {
#define PFM_FN(name) __typeof__(name) *name;
#include "provider/pfm_fns.def"
#undef PFM_FN
} lib;

/* load() writes this once, under `once`; all threads read it after that. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static char *load_error;

static const struct dynlib_fn functions[] = {
#define PFM_FN(name) { #name, offsetof(__typeof__(lib), name) },
#include "provider/pfm_fns.def"
#undef PFM_FN
};

static void
load(void)
{
	int err;

	load_error = dynlib_load(SONAME_PFM, PACKAGE_PFM, functions,
	    sizeof(functions) / sizeof(functions[0]), &lib);
	if (load_error != NULL)
		return;
	err = lib.pfm_initialize();
	if (err != PFM_SUCCESS)
		load_error =
		    mem_printf(SONAME_PFM ": %s", lib.pfm_strerror(err));
}

int
dt_pfm_find(const char *name, struct dt_pfm_event *event, struct err *err)
{
	struct perf_event_attr attr = { 0 };
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof(arg) };
	int code;

	pthread_once(&once, load);
	if (load_error != NULL)
		return err_set(err, -EINVAL, "%s", load_error);
	code = lib.pfm_get_os_event_encoding(
	    name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg);
	if (code != PFM_SUCCESS)
		return err_set(
		    err, -EINVAL, "libpfm: %s", lib.pfm_strerror(code));
	*event = (struct dt_pfm_event){ attr.type, attr.config, attr.config1,
		attr.config2 };
	return 0;
}
