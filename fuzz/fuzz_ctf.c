/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CTF from any bytes: a dictionary, an archive or an ELF file.  Accepted input
 * can be read to the end, and imported into the type graph.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"
#include "ctf/ctf_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile size_t sink;

static void
read_str(const char *s)
{
	sink += strlen(s);
}

static void
read_data(const struct ctf_file *f, const struct ctf_rec *r)
{
	switch (ctf_kind_info(r->kind)->data) {
	case CTF_DATA_NOTHING:
	case CTF_DATA_ENCODING:
		return;
	case CTF_DATA_ARRAY:
		sink += ctf_file_array(f, r).nelems;
		return;
	case CTF_DATA_SLICE:
		sink += ctf_file_slice(f, r).bits;
		return;
	case CTF_DATA_ARGS:
		for (uint32_t i = 0; i < r->vlen; i++)
			sink += ctf_file_arg(f, r, i);
		return;
	case CTF_DATA_MEMBERS:
		for (uint32_t i = 0; i < r->vlen; i++)
			read_str(ctf_file_member(f, r, i).name);
		return;
	case CTF_DATA_ENUMS:
		for (uint32_t i = 0; i < r->vlen; i++)
			read_str(ctf_file_enum(f, r, i).name);
		return;
	}
}

static int
read_object(void *arg, const struct ctf_object *o)
{
	const struct ctf_file *f = arg;
	struct ctf_rec r;

	read_str(o->name);
	for (uint32_t i = 0; i < o->nargs; i++)
		sink += ctf_object_arg(f, o, i);
	if (ctf_file_rec(f, o->type, &r) != NULL)
		read_str(r.name);
	return 0;
}

static void
read_file(struct ctf_file *f)
{
	const struct ctf_header *h = ctf_file_header(f);

	read_str(h->parname);
	read_str(h->parlabel);
	read_str(h->cuname);
	for (uint32_t i = 0; i < ctf_file_nlabels(f); i++)
		read_str(ctf_file_label(f, i).name);
	ctf_file_objects(f, read_object, f);
	ctf_file_funcs(f, read_object, f);
	ctf_file_vars(f, read_object, f);
	for (uint32_t i = 1; i <= ctf_file_ntypes(f); i++) {
		struct ctf_rec r;

		if (ctf_file_rec(f, ctf_file_id(f, i), &r) != f)
			abort();
		read_str(r.name);
		read_data(f, &r);
	}
}

/* ---- the types as nodes of the graph ------------------------------------- */

#define MAX_TYPES 2000

static void
import_type(struct ctf_import *im, const char *name)
{
	static const enum ctf_space spaces[] = { CTF_SP_ORDINARY, CTF_SP_STRUCT,
		CTF_SP_UNION, CTF_SP_ENUM };
	struct ctf_type *t;
	int64_t value;

	for (size_t i = 0; i < 4; i++) {
		t = im->ops->type(im, spaces[i], name);
		if (t == NULL)
			continue;
		t = ctf_resolve(t);
		VEC_FOREACH(&t->members, m)
			ctf_resolve(m->type);
	}
	im->ops->enumerator(im, name, &t, &value);
}

static int
import_object(void *arg, const struct ctf_object *o)
{
	struct ctf_import *im = arg;
	struct ctf_symbol sym;

	im->ops->symbol(im, o->name, &sym);
	return 0;
}

/* Import all types of `s`, which it destroys. */
static void
import_set(struct ctf_set *s)
{
	struct ctf_file *f = ctf_set_file(s, 0);
	struct ctf_graph g;
	struct ctf_import *im;
	struct err err = { 0 };

	ctf_graph_init(&g);
	im = ctf_import_set("fuzz", s, NULL, &err);
	if (im != NULL) {
		ctf_import_add(&g, im);
		for (uint32_t i = 1; i <= ctf_file_ntypes(f) && i < MAX_TYPES;
		     i++) {
			struct ctf_rec r;

			ctf_file_rec(f, ctf_file_id(f, i), &r);
			import_type(im, r.name);
		}
		ctf_file_funcs(f, import_object, im);
	}
	err_clear(&err);
	ctf_graph_fini(&g);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ctf_set *s;
	struct err err = { 0 };

	if (ctf_set_decode(data, size, &s, &err) != 0) {
		read_str(err.text);
		err_clear(&err);
		return 0;
	}
	for (size_t i = 0; i < ctf_set_n(s); i++)
		read_file(ctf_set_file(s, i));
	import_set(s);
	return 0;
}
