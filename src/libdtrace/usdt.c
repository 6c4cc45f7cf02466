/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dtrace -h and -G: make the files that the build of a user's program needs,
 * from the providers that the programs define.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "libdtrace/dt_impl.h"
#include "usdt/stubs.h"
#include "usdt/usdt.h"

static void
collect_defs(struct dt_hdl *h, struct usdt_defs *defs)
{
	VEC_FOREACH(&h->compiled.progs, p) {
		if ((*p)->is_library)
			continue;
		VEC_FOREACH(&(*p)->dif->providers, prov)
			VEC_PUSH(&defs->providers, prov);
	}
}

int
dt_header(
    struct dt_hdl *h, const char *path, const char *source, struct strbuf *out)
{
	struct usdt_defs defs = { 0 };
	struct err err = { 0 };
	int rc;

	collect_defs(h, &defs);
	rc = usdt_header(&defs, path, source, out, &err);
	VEC_FREE(&defs.providers);
	return rc == 0 ? 0 : dt_fail_err(h, &err);
}

int
dt_write_header(struct dt_hdl *h, const char *path, const char *source)
{
	struct strbuf sb = { 0 };
	int rc = dt_header(h, path, source, &sb);

	if (rc == 0)
		rc = dt_write_file(h, path, &sb);
	strbuf_fini(&sb);
	return rc;
}

/* ---- -G ------------------------------------------------------------------ */

/* The last -m32 or -m64 among the words of a variable of the environment. */
static void
class_of_env(const char *name, enum usdt_class *cls)
{
	const char *s = getenv(name);

	while (s != NULL && *s != '\0') {
		size_t len = strcspn(s, " \t\n");

		if (len == 4 && memcmp(s, "-m32", 4) == 0)
			*cls = USDT_CLASS_32;
		else if (len == 4 && memcmp(s, "-m64", 4) == 0)
			*cls = USDT_CLASS_64;
		s += len + strspn(s + len, " \t\n");
	}
}

/* The first of these decides: the option, the objects, the compiler's flags. */
static int
find_class(struct dt_hdl *h, const struct usdt_defs *defs, char *const *objects,
    size_t nobjects, enum usdt_class *cls, struct usdt_stubs *stubs)
{
	struct err err = { 0 };

	for (size_t i = 0; i < nobjects; i++) {
		if (usdt_check_object(defs, objects[i], cls, stubs, &err) != 0)
			return dt_fail_err(h, &err);
	}
	if (*cls == USDT_CLASS_ANY) {
		class_of_env("CC", cls);
		class_of_env("CFLAGS", cls);
	}
	return 0;
}

/* Clauses are added to the object as DOF. */
static int
encode_clauses(struct dt_hdl *h, struct strbuf *out)
{
	VEC(const struct dif_prog *) progs = { 0 };
	int rc = 0;

	VEC_FOREACH(&h->compiled.progs, p) {
		if ((*p)->is_library || (*p)->dif->clauses.n == 0)
			continue;
		VEC_PUSH(&progs, (*p)->dif);
	}
	if (progs.n != 0)
		rc = dt_encode(h, progs.v, progs.n, true, out);
	VEC_FREE(&progs);
	return rc;
}

static int
make_object(struct dt_hdl *h, const struct usdt_defs *defs,
    const struct usdt_stubs *stubs, enum usdt_class cls, struct strbuf *out)
{
	struct strbuf dof = { 0 };
	struct err err = { 0 };
	int rc = encode_clauses(h, &dof);

	if (rc == 0 && usdt_object(defs, stubs, &dof, cls, out, &err) != 0)
		rc = dt_fail_err(h, &err);
	strbuf_fini(&dof);
	return rc;
}

int
dt_write_object(struct dt_hdl *h, const char *path, int bits,
    char *const *objects, size_t nobjects)
{
	enum usdt_class cls = bits == 32 ? USDT_CLASS_32 :
	    bits == 64			 ? USDT_CLASS_64 :
					   USDT_CLASS_ANY;
	struct usdt_defs defs = { 0 };
	struct usdt_stubs stubs = { 0 };
	struct strbuf sb = { 0 };
	int rc;

	collect_defs(h, &defs);
	rc = find_class(h, &defs, objects, nobjects, &cls, &stubs);
	if (rc != 0)
		goto out;
	rc = make_object(h, &defs, &stubs, cls, &sb);
	if (rc != 0)
		goto out;
	rc = dt_write_file(h, path, &sb);
out:
	strbuf_fini(&sb);
	VEC_FREE(&stubs.v);
	VEC_FREE(&defs.providers);
	return rc;
}
