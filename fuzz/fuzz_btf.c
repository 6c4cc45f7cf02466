/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BTF from any bytes, and all requests of a script: each name in each name
 * space, with its members, as a symbol and as an enumerator; and each type as
 * text, as providers want it.
 */
#include <stdlib.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "ctf/btf_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Types refer to each other: a few hundred steps reach all kinds. */
#define MAX_STEPS 500

static void
look_at(struct ctf_graph *g, struct ctf_type *t, unsigned *left)
{
	uint64_t off;

	if (*left == 0)
		return;
	--*left;
	ctf_type_name(g, t);
	t = ctf_resolve(t);
	ctf_member_find(t, "no such member", &off);
	VEC_FOREACH(&t->members, m)
		look_at(g, m->type, left);
	if (t->kind == CTF_K_POINTER || t->kind == CTF_K_ARRAY)
		look_at(g, t->ref, left);
}

static void
ask(struct ctf_import *im, const char *name)
{
	static const enum ctf_space spaces[] = { CTF_SP_ORDINARY, CTF_SP_STRUCT,
		CTF_SP_UNION, CTF_SP_ENUM };
	struct ctf_symbol sym = { 0 };
	unsigned left = MAX_STEPS;
	struct ctf_type *t;
	int64_t value;

	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
		t = im->ops->type(im, spaces[i], name);
		if (t != NULL)
			look_at(im->graph, t, &left);
	}
	if (im->ops->symbol(im, name, &sym))
		look_at(im->graph, sym.type, &left);
	if (im->ops->enumerator(im, name, &t, &value) != 0)
		look_at(im->graph, t, &left);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { 0 };
	struct btf_blob *b = btf_blob_copy(data, size, NULL, &err);
	const struct btf_type *bt;
	struct strbuf words = { 0 };
	struct ctf_import *im;
	struct ctf_graph g;

	err_clear(&err);
	if (b == NULL)
		return 0;
	im = btf_import_blob("fuzz", b, NULL);
	ctf_graph_init(&g);
	ctf_import_add(&g, im);
	for (uint32_t id = 1;
	     id <= MAX_STEPS && (bt = btf_blob_type(b, id)) != NULL; id++)
		ask(im, btf_blob_name(b, bt->name_off));
	for (uint32_t id = 0; id <= MAX_STEPS; id++)
		btf_type_text(b, id, &words);
	strbuf_fini(&words);
	ask(im, "ENUMERATOR");
	ctf_graph_fini(&g);
	return 0;
}
