/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Function boundaries of the kernel: fbt:<module>:<function>:entry and :return.
 *
 * The functions are those that the kernel's function tracer lists: it knows
 * which are compiled with a place for a probe and which must not be probed. A
 * name that several functions of a module have is one probe, armed at all that
 * are listed.  The line of the list makes the id.
 *
 * The kernel's types and symbols are read when something depends on them.
 *
 * A function's arguments and result are typed by its BTF; those that the
 * compiler changed (names like foo.isra.0) have none.  arg0 of a return should
 * be the offset of the return in the function; the kernel does not give it: 0.
 */
#include "provider/fbt_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/glob.h"
#include "base/hash.h"
#include "base/kallsyms.h"
#include "base/lines.h"
#include "base/mem.h"
#include "base/ownfailure.h"

#define NLINES 131072 /* more are numbered on demand */

/* ---- matching ------------------------------------------------------------ */

static uint32_t
fbt_nids(struct dt_registry *r)
{
	(void)r;
	return 2 * NLINES;
}

struct offering {
	struct dt_registry *r;
	const struct dif_pdesc *desc;
	uint32_t id_base;
};

/* Offer those of the function's two probes that the description selects. */
static void
offer_probes(struct fbt_func *fn, void *arg)
{
	const struct offering *o = arg;
	struct dt_probe p = { .ops = &dt_provider_fbt,
		.prov = "fbt",
		.mod = fn->mod,
		.func = fn->name,
		.data = fn };

	for (uint32_t is_return = 0; is_return < 2; is_return++) {
		p.id = fn->line < NLINES ?
		    o->id_base + 2 * fn->line + is_return :
		    0;
		p.name = is_return ? "return" : "entry";
		p.kind =
		    is_return ? DT_PROBE_KFUNC_RETURN : DT_PROBE_KFUNC_ENTRY;
		p.group = DT_GROUP(FBT, is_return);
		if (o->desc->id != 0 ? o->desc->id == p.id :
				       dt_field_match(o->desc->name, p.name))
			dt_registry_offer(o->r, &p);
	}
}

/* The probe of an id: the function is looked for by its name, since a line may
 * be another one of a name that has its id already. */
static void
offer_by_id(struct fbt *f, struct offering *o)
{
	char *name = fbt_listed_name(f, (o->desc->id - o->id_base) / 2);

	if (name != NULL) {
		struct fbt_wanted w = {
			.func = name, .prefix = name, .prefix_len = strlen(name)
		};

		fbt_search_list(f, &w, offer_probes, o);
	}
	free(name);
}

struct prov_fbt_search {
	const struct dif_pdesc *desc;
	bool is_found;
};

static bool
is_such_function(const struct ksymbol *sym, void *arg)
{
	struct prov_fbt_search *s = arg;

	s->is_found = ksym_is_code(sym->type) &&
	    strcmp(sym->name, s->desc->func) == 0 &&
	    dt_field_match(s->desc->mod, sym->module);
	return s->is_found;
}

/* Does the kernel proper have a function of that name, one that is not written
 * in assembly? */
static bool
has_type(struct fbt *f, const char *name)
{
	struct btf_blob *b = dt_kbtf_module(dt_kbtf(f->r), VMLINUX);

	return b != NULL && btf_blob_find(b, BTF_KIND_FUNC, name) != 0;
}

/*
 * Tell apart a named function that exists but is not in the list, and one that
 * does not exist.  The kernel's symbols take a while to read.
 */
static int
check_refused(
    struct dt_registry *r, struct fbt *f, const struct dif_pdesc *desc)
{
	struct prov_fbt_search s = { .desc = desc };
	struct err err = { 0 };
	int rc;

	if (!dt_field_is(desc->prov, "fbt") || dt_field_is_empty(desc->func) ||
	    glob_is_pattern(desc->func) || dt_registry_is_asking(r))
		return 0;
	if (dt_registry_is_hasty(r) && !has_type(f, desc->func))
		return 0;
	rc = fbt_read_symbols(is_such_function, &s, &err);
	if (rc != 0)
		rc = dt_registry_fail(r, rc, "%s", err_text(&err));
	err_clear(&err);
	if (rc != 0 || !s.is_found)
		return rc;
	return dt_registry_fail(r, -EPERM,
	    "the kernel does not let function "
	    "%s be probed: its function tracer leaves it out (notrace, or code "
	    "that a probe itself may run through)",
	    desc->func);
}

static bool
names_no_probe(const struct dif_pdesc *desc)
{
	return desc->id == 0 && !dt_field_match(desc->name, "entry") &&
	    !dt_field_match(desc->name, "return");
}

static int
fbt_match(struct dt_registry *r, const struct dif_pdesc *desc, uint32_t id_base)
{
	static const struct dt_keep keep = { fbt_create, fbt_destroy };
	struct offering o = { r, desc, id_base };
	struct fbt_wanted w = fbt_wanted_by(desc);
	struct fbt *f;

	if (names_no_probe(desc))
		return 0;
	f = dt_registry_keep(r, &keep);
	if (f->why != NULL)
		return dt_field_is_empty(desc->prov) &&
			!is_own_failure(f->error) ?
		    0 :
		    dt_registry_fail(
			r, -ENOTSUP, "fbt is not available: %s", f->why);
	if (desc->id != 0)
		offer_by_id(f, &o);
	else if (!fbt_search_list(f, &w, offer_probes, &o) && !w.is_pattern)
		return check_refused(r, f, desc);
	return 0;
}

/* ---- types --------------------------------------------------------------- */

/* The function's prototype, with the BTF that has it; 0: none. */
static uint32_t
func_proto(const struct fbt_func *fn, struct btf_blob **b)
{
	const struct btf_type *t;

	*b = dt_kbtf_module(dt_kbtf(fn->fbt->r), fn->mod);
	if (*b == NULL)
		return 0;
	t = btf_blob_type(*b, btf_blob_find(*b, BTF_KIND_FUNC, fn->name));
	if (t == NULL)
		return 0;
	return btf_blob_type(*b, t->type) != NULL &&
		btf_type_kind(btf_blob_type(*b, t->type)) ==
		    BTF_KIND_FUNC_PROTO ?
	    t->type :
	    0;
}

uint32_t
fbt_btf_id(const struct dt_probe *p)
{
	const struct fbt_func *fn = p->data;
	struct btf_blob *b;

	if (strcmp(fn->mod, VMLINUX) != 0 || func_proto(fn, &b) == 0)
		return 0;
	return btf_blob_find(b, BTF_KIND_FUNC, fn->name);
}

/* Through typedefs and the like: is it an integer or a pointer? */
static bool
is_scalar(struct btf_blob *b, uint32_t id)
{
	for (unsigned depth = 0; depth < 16; depth++) {
		const struct btf_type *t = btf_blob_type(b, id);

		if (id == 0 || t == NULL)
			return id == 0;
		switch (btf_type_kind(t)) {
		case BTF_KIND_INT:
		case BTF_KIND_ENUM:
		case BTF_KIND_ENUM64:
			return t->size <= 8;
		case BTF_KIND_PTR:
			return true;
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			id = t->type;
			break;
		default:
			return false;
		}
	}
	return false;
}

bool
fbt_is_simple(const struct dt_probe *p)
{
	const struct fbt_func *fn = p->data;
	struct btf_blob *b;
	uint32_t proto = func_proto(fn, &b), n;
	const struct btf_param *params;
	const struct btf_type *t;

	if (proto == 0 || strcmp(fn->mod, VMLINUX) != 0 ||
	    fbt_count_lines(fn) > 1)
		return false;
	t = btf_blob_type(b, proto);
	params = btf_type_tail(t);
	n = btf_type_vlen(t);
	if (n > 6 || !is_scalar(b, t->type))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		/* "..." is a nameless parameter of type void */
		if (params[i].type == 0 || !is_scalar(b, params[i].type))
			return false;
	}
	return true;
}

static const char **
find_types(const struct fbt_func *fn, bool is_return)
{
	struct arena *a = &fn->fbt->arena;
	struct btf_blob *b;
	uint32_t proto = func_proto(fn, &b), n = 0, nparams;
	const struct btf_param *params;
	const char **types;

	if (proto == 0)
		return arena_alloc(a, sizeof(char *));
	params = btf_type_tail(btf_blob_type(b, proto));
	nparams = btf_type_vlen(btf_blob_type(b, proto));
	types = arena_alloc(a, (nparams + 3) * sizeof(char *));
	if (!is_return) {
		for (; n < nparams && params[n].type != 0; n++)
			types[n] = dt_kbtf_text(a, b, params[n].type);
		return types;
	}
	types[n++] = "int";
	if (btf_blob_type(b, proto)->type != 0)
		types[n++] = dt_kbtf_text(a, b, btf_blob_type(b, proto)->type);
	return types;
}

static const char *const *
fbt_arg_types(const struct dt_probe *p)
{
	struct fbt_func *fn = p->data;
	bool is_return = fbt_is_return(p);

	if (fn->types[is_return] == NULL)
		fn->types[is_return] = find_types(fn, is_return);
	return fn->types[is_return];
}

static const char *const fbt_attrs[] = {
	"Evolving/Evolving/Common",
	"Private/Private/Unknown",
	"Private/Private/Unknown",
	"Evolving/Evolving/Common",
	"Private/Private/ISA",
};

const struct dt_provider_ops dt_provider_fbt = {
	.name = "fbt",
	.nids = fbt_nids,
	.match = fbt_match,
	.arg_types = fbt_arg_types,
	.privilege = DT_PRIV_KERNEL,
	.attrs = fbt_attrs,
};
