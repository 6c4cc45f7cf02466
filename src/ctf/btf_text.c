/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types of BTF as C text.  A type without a name (an unnamed struct, a
 * function, an array) has no text, and a pointer to it is a void *.
 */
#include "ctf/btf.h"

#include "base/str.h"

#define DEPTH_MAX 16 /* types may contain themselves */

static bool text_of(
    struct btf_blob *b, uint32_t id, unsigned depth, struct strbuf *out);

static bool
named(struct btf_blob *b, const struct btf_type *t, const char *tag,
    struct strbuf *out)
{
	const char *name = btf_blob_name(b, t->name_off);

	strbuf_printf(out, "%s%s", tag, name);
	return *name != '\0';
}

static bool
pointer(struct btf_blob *b, uint32_t to, unsigned depth, struct strbuf *out)
{
	size_t len = out->len;

	if (!text_of(b, to, depth, out)) {
		out->len = len;
		strbuf_adds(out, "void");
	}
	strbuf_adds(out, out->s[out->len - 1] == '*' ? "*" : " *");
	return true;
}

/* A qualifier precedes its type, but follows a pointer's star. */
static bool
qualified(struct btf_blob *b, uint32_t id, const char *word, unsigned depth,
    struct strbuf *out)
{
	const struct btf_type *t = btf_blob_type(b, id);

	if (t != NULL && btf_type_kind(t) == BTF_KIND_PTR) {
		text_of(b, id, depth, out);
		strbuf_printf(out, " %s", word);
		return true;
	}
	strbuf_printf(out, "%s ", word);
	return text_of(b, id, depth, out);
}

static bool
text_of(struct btf_blob *b, uint32_t id, unsigned depth, struct strbuf *out)
{
	const struct btf_type *t = btf_blob_type(b, id);

	if (id == 0) {
		strbuf_adds(out, "void");
		return true;
	}
	if (t == NULL || depth == 0)
		return false;
	switch (btf_type_kind(t)) {
	case BTF_KIND_INT:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPEDEF:
		return named(b, t, "", out);
	case BTF_KIND_STRUCT:
		return named(b, t, "struct ", out);
	case BTF_KIND_UNION:
		return named(b, t, "union ", out);
	case BTF_KIND_FWD:
		return named(
		    b, t, BTF_INFO_KFLAG(t->info) ? "union " : "struct ", out);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return named(b, t, "enum ", out);
	case BTF_KIND_PTR:
		return pointer(b, t->type, depth - 1, out);
	case BTF_KIND_CONST:
		return qualified(b, t->type, "const", depth - 1, out);
	case BTF_KIND_VOLATILE:
		return qualified(b, t->type, "volatile", depth - 1, out);
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		return text_of(b, t->type, depth - 1, out);
	default:
		return false;
	}
}

bool
btf_type_text(struct btf_blob *b, uint32_t id, struct strbuf *out)
{
	size_t len = out->len;

	if (text_of(b, id, DEPTH_MAX, out))
		return true;
	out->len = len;
	return false;
}
