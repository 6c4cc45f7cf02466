/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types as JSON, for dtrace -T.
 */
#include "libdtrace/typeshow_impl.h"

#include "base/str.h"
#include "base/vec.h"
#include "consume/json.h"

static const char *
kind_name(struct ctf_type *t)
{
	switch (ctf_resolve(t)->kind) {
	case CTF_K_STRUCT:
		return "struct";
	case CTF_K_UNION:
		return "union";
	case CTF_K_ENUM:
		return "enum";
	case CTF_K_INTEGER:
		return "integer";
	case CTF_K_FLOAT:
		return "float";
	case CTF_K_POINTER:
		return "pointer";
	case CTF_K_ARRAY:
		return "array";
	case CTF_K_FUNCTION:
		return "function";
	case CTF_K_UNKNOWN:
	case CTF_K_FORWARD:
	case CTF_K_TYPEDEF:
	case CTF_K_VOLATILE:
	case CTF_K_CONST:
	case CTF_K_RESTRICT:
	case CTF_K_D_STRING:
	case CTF_K_D_STACK:
	case CTF_K_D_AGG:
	case CTF_K_D_SYM:
		break;
	}
	return "other";
}

static void
json_type(struct strbuf *sb, const char *name, const struct ctf_type *t)
{
	struct strbuf text = { 0 };

	ctf_declare_text(t, "", &text);
	json_str(sb, name, text.s);
	strbuf_fini(&text);
}

struct json_type {
	struct strbuf *sb;
	uint64_t strsize;
};

static void
json_size(struct json_type *js, struct ctf_type *t)
{
	t = ctf_resolve(t);
	json_uint(
	    js->sb, "size", t->kind == CTF_K_D_STRING ? js->strsize : t->size);
}

static void json_body(
    struct json_type *js, struct ctf_type *t, uint64_t bit_off, unsigned depth);

static void
json_member(struct json_type *js, const struct ctf_member *m, uint64_t bit_off,
    unsigned depth)
{
	struct strbuf *sb = js->sb;

	json_open(sb);
	if (m->name != NULL)
		json_str(sb, "name", m->name);
	json_type(sb, "type", m->type);
	json_uint(sb, "offset", bit_off / 8);
	json_size(js, m->type);
	if (m->bits != 0) {
		json_uint(sb, "bit", bit_off % 8);
		json_uint(sb, "bits", m->bits);
	}
	if (dt_type_is_untagged(m->type) && depth < DEPTH_MAX &&
	    sb->len < TEXT_MAX)
		json_body(js, dt_type_base_of(m->type), bit_off, depth);
	strbuf_addc(sb, '}');
}

static void
json_body(
    struct json_type *js, struct ctf_type *t, uint64_t bit_off, unsigned depth)
{
	struct strbuf *sb = js->sb;

	t = ctf_resolve(t);
	json_list(sb, t->kind == CTF_K_ENUM ? "enumerators" : "members");
	VEC_FOREACH(&t->members, m)
		json_member(js, m, bit_off + m->bit_off, depth + 1);
	VEC_FOREACH(&t->enums, e) {
		json_open(sb);
		json_str(sb, "name", e->name);
		json_int(sb, "value", e->value);
		strbuf_addc(sb, '}');
	}
	strbuf_addc(sb, ']');
}

void
dt_type_json(struct dt_hdl *h, struct ctf_type *t, struct strbuf *sb)
{
	struct json_type js = { sb, (uint64_t)dt_opt(h, DT_OPT_STRSIZE) };

	json_open(sb);
	json_str(sb, "event", "type");
	json_type(sb, "name", t);
	if (t->kind == CTF_K_TYPEDEF)
		json_type(sb, "typedef", t->ref);
	json_str(sb, "kind", kind_name(t));
	json_size(&js, t);
	if (dt_type_has_body(t))
		json_body(&js, t, 0, 0);
	if (dt_type_translators(h, t, sb, true) != 0)
		strbuf_addc(sb, ']');
	strbuf_adds(sb, "}\n");
}
