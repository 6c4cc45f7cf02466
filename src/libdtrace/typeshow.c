/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types for people and programs: dtrace -T, and the members that dtrace -lv
 * shows below the probes.
 *
 * -T prints a type as D would declare it (typedecl.c).  A type that translators
 * make has no places of interest: its members are expressions, so -T prints the
 * type of each, translator by translator.
 */
#include "libdtrace/typeshow_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/str.h"
#include "base/vec.h"
#include "consume/json.h"

/* ---- translators --------------------------------------------------------- */

struct translators {
	struct dt_hdl *h;
	struct ctf_type *type;
	const char *name;
	struct strbuf *sb;
	bool is_json;
	size_t n;
};

/* Why the translator gives the member no value, or NULL with *type. */
static const char *
why_missing(const struct translators *tr, const struct cg_translator *t,
    const char *member, const struct ctf_type **type)
{
	const char *why;

	for (size_t i = 0; i < t->n; i++) {
		if (strcmp(t->made[i].member, member) != 0)
			continue;
		*type = t->made[i].type;
		return t->made[i].lacks;
	}
	why = cg_why_unavailable(tr->h->compiled.cg, tr->type, member);
	return why != NULL ? why : "the translator does not give it";
}

static void
put_made(struct translators *tr, const struct cg_translator *t,
    const char *member, struct dt_type_decl *d)
{
	const struct ctf_type *type = NULL;
	const char *why = why_missing(tr, t, member, &type);
	struct strbuf text = { 0 };

	if (type != NULL)
		ctf_type_text(type, &text);
	if (d != NULL) {
		strbuf_printf(tr->sb, "\t%s;", member);
		if (type != NULL)
			dt_type_comment(d, "%s", text.s);
		else
			dt_type_comment(d, "not available: %s", why);
	} else {
		json_open(tr->sb);
		json_str(tr->sb, "name", member);
		if (type != NULL)
			json_str(tr->sb, "type", text.s);
		else
			json_str(tr->sb, "missing", why);
		strbuf_addc(tr->sb, '}');
	}
	strbuf_fini(&text);
}

static void
put_translator(const struct cg_translator *t, void *arg)
{
	struct translators *tr = arg;
	struct dt_type_decl d = { .sb = tr->sb };
	struct strbuf in = { 0 };

	ctf_declare_text(t->in, t->param, &in);
	if (tr->is_json) {
		if (tr->n == 0)
			json_list(tr->sb, "translators");
		json_open(tr->sb);
		json_str(tr->sb, "from", in.s);
		json_list(tr->sb, "members");
	} else {
		strbuf_printf(
		    tr->sb, "\ntranslator %s < %s > {\n", tr->name, in.s);
	}
	tr->n++;
	strbuf_fini(&in);
	VEC_FOREACH(&ctf_resolve(tr->type)->members, m) {
		if (m->name != NULL)
			put_made(tr, t, m->name, tr->is_json ? NULL : &d);
	}
	strbuf_adds(tr->sb, tr->is_json ? "]}" : "};\n");
}

size_t
dt_type_translators(
    struct dt_hdl *h, struct ctf_type *t, struct strbuf *sb, bool is_json)
{
	struct strbuf name = { 0 };
	struct translators tr = { h, t, NULL, sb, is_json, 0 };

	ctf_type_text(t, &name);
	tr.name = name.s;
	if (ctf_is_sou(t))
		cg_each_translator(h->compiled.cg, t, put_translator, &tr);
	strbuf_fini(&name);
	return tr.n;
}

static void
count_translator(const struct cg_translator *t, void *arg)
{
	(void)t;
	++*(size_t *)arg;
}

static bool
is_translated(struct dt_hdl *h, struct ctf_type *t)
{
	size_t n = 0;

	if (ctf_is_sou(t))
		cg_each_translator(h->compiled.cg, t, count_translator, &n);
	return n != 0;
}

static void
show_text(struct dt_hdl *h, struct ctf_type *t, struct strbuf *sb)
{
	struct dt_type_decl d = { .sb = sb,
		.has_places = !is_translated(h, t) };
	size_t len = sb->len;

	dt_type_declarations(&d, t);
	if (sb->len == len) {
		ctf_type_text(t, sb);
		dt_type_size(&d, t);
	}
	dt_type_translators(h, t, sb, false);
}

/* ---- -T ------------------------------------------------------------------ */

static int
refuse_type(struct dt_hdl *h, const char *text)
{
	char *near = cg_near_type(h->compiled.cg, text, dt_libs_each_name, h);

	dt_fail(h, "there is no type '%s' here%s%s%s", text,
	    near != NULL ? "\n    hint: did you mean '" : "",
	    near != NULL ? near : "", near != NULL ? "'?" : "");
	free(near);
	return -1;
}

int
dt_type_show(struct dt_hdl *h, const char *text, FILE *out)
{
	struct ctf_type *t = dt_compile_type(h, text);
	struct strbuf sb = { 0 };

	if (t != NULL)
		t = dt_type_base_of(t);
	if (t == NULL || (dt_type_has_body(t) && ctf_resolve(t)->is_incomplete))
		return refuse_type(h, text);
	if (dt_is_json(h))
		dt_type_json(h, t, &sb);
	else
		show_text(h, t, &sb);
	fwrite(sb.s, 1, sb.len, out);
	strbuf_fini(&sb);
	return 0;
}

/* ---- -lT ----------------------------------------------------------------- */

struct type_names {
	const char *pattern;
	struct strtab seen;
};

static void
take_type(const char *text, void *arg)
{
	struct type_names *tn = arg;

	if (glob_match(tn->pattern, text))
		strtab_intern(&tn->seen, text);
}

static int
cmp_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The types that a pattern may match; 'a.out`*' names one object. */
static int
each_type(struct dt_hdl *h, const char *pattern, struct type_names *tn)
{
	const char *tick = strchr(pattern, '`'), *why;
	char *module;
	int rc = 0;

	if (tick == NULL) {
		cg_each_type(
		    h->compiled.cg, dt_libs_each_name, h, take_type, tn);
		return 0;
	}
	module = mem_strndup(pattern, (size_t)(tick - pattern));
	if (!cg_each_type_in(h->compiled.cg, module, take_type, tn, &why))
		rc = dt_fail(h, "the types of '%s' are not known: %s", module,
		    why != NULL ? why :
				  "it is no module of the kernel, and no "
				  "program or library of -c or -p");
	free(module);
	return rc;
}

int
dt_type_list(struct dt_hdl *h, const char *pattern, FILE *out)
{
	struct type_names tn = { .pattern = pattern };
	int rc;

	if (dt_is_json(h))
		return dt_fail(h,
		    "-lT lists names of types as text; -T prints one type as JSON");
	if (dt_need_types(h) != 0 || dt_libs_load_for(h, "", 0) != 0)
		return -1;
	strtab_init(&tn.seen);
	rc = each_type(h, pattern, &tn);
	if (tn.seen.strs.n != 0)
		qsort(tn.seen.strs.v, tn.seen.strs.n, sizeof(*tn.seen.strs.v),
		    cmp_text);
	else if (rc == 0)
		rc = dt_fail(h, "no type matches '%s'", pattern);
	VEC_FOREACH(&tn.seen.strs, name)
		fprintf(out, "%s\n", *name);
	strtab_fini(&tn.seen);
	return rc;
}

/* ---- -lv ----------------------------------------------------------------- */

/* Members of an anonymous struct or union are members of its owner. */
static void
put_members(struct dt_hdl *h, struct ctf_type *sou, struct ctf_type *of,
    unsigned depth, struct strbuf *sb)
{
	VEC_FOREACH(&ctf_resolve(of)->members, m) {
		const char *why;

		if (m->name == NULL) {
			if (ctf_is_sou(m->type) && depth < DEPTH_MAX &&
			    sb->len < TEXT_MAX)
				put_members(h, sou, m->type, depth + 1, sb);
			continue;
		}
		strbuf_printf(sb, "\t\t%s: ", m->name);
		ctf_declare_text(m->type, "", sb);
		if (m->bits != 0)
			strbuf_printf(sb, " : %u", m->bits);
		why = cg_why_unavailable(h->compiled.cg, sou, m->name);
		if (why != NULL)
			strbuf_printf(sb, " (not available: %s)", why);
		strbuf_addc(sb, '\n');
	}
}

void
dt_type_members(
    struct dt_hdl *h, const char *name, struct ctf_type *t, FILE *out)
{
	struct strbuf sb = { 0 };

	if (dt_is_json(h)) {
		dt_type_json(h, t, &sb);
	} else {
		strbuf_printf(&sb, "\tMembers of %s\n", name);
		put_members(h, t, t, 0, &sb);
		strbuf_addc(&sb, '\n');
	}
	fwrite(sb.s, 1, sb.len, out);
	strbuf_fini(&sb);
}
