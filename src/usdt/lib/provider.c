/* SPDX-License-Identifier: BSD-2-Clause */
#include "libdtrace-usdt.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "usdt/lib/image.h"

#define EXPORT __attribute__((visibility("default")))
#define NAME_MAX_LEN 63 /* DTRACE_PROVNAMELEN, with the process's number */
#define TYPE_MAX_LEN 127
#define PID_DIGITS 10

_Static_assert(DTRACE_USDT_MAXARGS == USDT_MAXARGS, "as sites have");

struct probe {
	struct dtrace_usdt_probe shown; /* must be first */
	char *function;
};

struct dtrace_usdt_provider {
	char *module;
	struct dif_provider def;
	VEC(struct probe *) probes; /* in the order of def.probes */
	struct usdt_image image;
};

/* ---- names --------------------------------------------------------------- */

static bool
is_text(const char *s, size_t max)
{
	size_t len = s != NULL ? strnlen(s, max + 1) : 0;

	for (size_t i = 0; i < len; i++) {
		if (!isgraph((unsigned char)s[i]) || s[i] == ':')
			return false;
	}
	return len > 0 && len <= max;
}

/* A C name that does not end in a digit: the process's number is appended. */
static bool
is_provider_name(const char *s)
{
	if (!is_text(s, NAME_MAX_LEN - PID_DIGITS) ||
	    isdigit((unsigned char)s[0]) ||
	    isdigit((unsigned char)s[strlen(s) - 1]))
		return false;
	for (; *s != '\0'; s++) {
		if (!isalnum((unsigned char)*s) && *s != '_')
			return false;
	}
	return true;
}

static bool
is_probe_name(const char *s)
{
	if (!is_text(s, NAME_MAX_LEN))
		return false;
	for (; *s != '\0'; s++) {
		if (!isalnum((unsigned char)*s) && *s != '_' && *s != '-')
			return false;
	}
	return true;
}

/* ---- providers ----------------------------------------------------------- */

/* Codes of stabilities and classes: doc/reference/language.md section 13. */
enum { UNKNOWN = 0, PRIVATE = 1, EVOLVING = 5, COMMON = 5 };

/* Stability of a provider that declares none: Private, except for names. */
static const struct dif_attr attrs[DIF_NPROVATTRS] = {
	[DIF_PROVATTR_PROVIDER] = { EVOLVING, EVOLVING, COMMON },
	[DIF_PROVATTR_MODULE] = { PRIVATE, PRIVATE, UNKNOWN },
	[DIF_PROVATTR_FUNCTION] = { PRIVATE, PRIVATE, UNKNOWN },
	[DIF_PROVATTR_NAME] = { EVOLVING, EVOLVING, COMMON },
	[DIF_PROVATTR_ARGS] = { EVOLVING, EVOLVING, COMMON },
};

EXPORT struct dtrace_usdt_provider *
dtrace_usdt_provider(const char *name, const char *module)
{
	struct dtrace_usdt_provider *p;

	if (!is_provider_name(name) || !is_text(module, NAME_MAX_LEN)) {
		errno = EINVAL;
		return NULL;
	}
	p = mem_alloc(sizeof(*p));
	p->module = mem_strdup(module);
	p->def.name = mem_strdup(name);
	memcpy(p->def.attrs, attrs, sizeof(attrs));
	return p;
}

static int
check_probe(const struct dtrace_usdt_provider *p, const char *function,
    const char *name, int nargs, const char *const *types)
{
	if (p->image.base != NULL)
		return EBUSY;
	if (nargs < 0 || nargs > DTRACE_USDT_MAXARGS)
		return E2BIG;
	if (!is_text(function, NAME_MAX_LEN) || !is_probe_name(name))
		return EINVAL;
	for (int i = 0; i < nargs; i++) {
		if (types[i] == NULL ||
		    strnlen(types[i], TYPE_MAX_LEN + 1) > TYPE_MAX_LEN)
			return EINVAL;
	}
	return 0;
}

EXPORT struct dtrace_usdt_probe *
dtrace_usdt_probe(struct dtrace_usdt_provider *p, const char *function,
    const char *name, int nargs, const char *const *types)
{
	struct dif_provprobe pp = { 0 };
	struct probe *probe;
	int err = check_probe(p, function, name, nargs, types);

	if (err != 0) {
		errno = err;
		return NULL;
	}
	pp.name = mem_strdup(name);
	for (int i = 0; i < nargs; i++)
		VEC_PUSH(&pp.native,
		    ((struct dif_provarg){ mem_strdup(types[i]), (uint8_t)i }));
	VEC_PUSH(&p->def.probes, pp);
	probe = mem_alloc(sizeof(*probe));
	probe->shown.dtu_nargs = nargs;
	probe->function = mem_strdup(function);
	VEC_PUSH(&p->probes, probe);
	return &probe->shown;
}

static void
show(struct dtrace_usdt_provider *p)
{
	const struct usdt_image *img = &p->image;

	for (size_t i = 0; i < p->probes.n; i++) {
		struct dtrace_usdt_probe *probe = &p->probes.v[i]->shown;

		probe->dtu_site = (void (*)(void))(
		    uintptr_t)(img->base + img->text + img->offsets.v[i]);
		probe->dtu_semaphore =
		    (const volatile unsigned short *)(const void *)(img->base +
			img->semaphores + 2 * i);
	}
}

EXPORT int
dtrace_usdt_enable(struct dtrace_usdt_provider *p)
{
	struct usdt_defs defs = { 0 };
	struct usdt_stubs stubs = { 0 };
	VEC(const char *) functions = { 0 };
	int rc;

	if (p->probes.n == 0) {
		errno = ENOENT;
		return -1;
	}
	if (p->image.base != NULL)
		return 0;
	VEC_PUSH(&defs.providers, &p->def);
	for (size_t i = 0; i < p->probes.n; i++) {
		VEC_PUSH(&stubs.v,
		    ((struct usdt_stub){
			&p->def, &p->def.probes.v[i], false }));
		VEC_PUSH(&functions, p->probes.v[i]->function);
	}
	rc =
	    usdt_image_map(&p->image, p->module, &defs, &stubs, functions.v, 0);
	if (rc == 0)
		show(p);
	VEC_FREE(&defs.providers);
	VEC_FREE(&stubs.v);
	VEC_FREE(&functions);
	return rc;
}

EXPORT void
dtrace_usdt_destroy(struct dtrace_usdt_provider *p)
{
	if (p == NULL)
		return;
	usdt_image_unmap(&p->image);
	VEC_FOREACH(&p->probes, probe) {
		free((*probe)->function);
		free(*probe);
	}
	VEC_FREE(&p->probes);
	dif_provider_fini(&p->def);
	free(p->module);
	free(p);
}

/* The site uses as many of the call's arguments as it has. */
typedef void usdt_site_f(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
    uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
    uintptr_t);

EXPORT void
dtrace_usdt_fire(const struct dtrace_usdt_probe *probe, const uintptr_t *args)
{
	uintptr_t a[DTRACE_USDT_MAXARGS] = { 0 };

	if (!dtrace_usdt_is_enabled(probe))
		return;
	for (int i = 0; i < probe->dtu_nargs; i++)
		a[i] = args[i];
	((usdt_site_f *)probe->dtu_site)(a[0], a[1], a[2], a[3], a[4], a[5],
	    a[6], a[7], a[8], a[9], a[10], a[11]);
}
