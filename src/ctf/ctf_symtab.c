/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A dictionary's labels, and its types of data objects and functions.
 *
 * The object section has one type id per data symbol of the ELF symbol table,
 * the function section one entry per function; names are only in the symbol
 * table.  GNU adds index sections with names of their own, for files whose
 * symbols may change (unlinked objects), makes a function's entry the id of a
 * FUNCTION type, and has a sorted list of variables.
 */
#include "ctf/ctf_file_impl.h"

static uint32_t
get_word_at(const struct ctf_file *f, enum ctf_sect_id id, uint32_t off)
{
	return ctf_get_word(f, ctf_sect(f, id) + off);
}

static uint32_t
get32_at(const struct ctf_file *f, enum ctf_sect_id id, uint32_t off)
{
	return ctf_get32(f, ctf_sect(f, id) + off);
}

uint32_t
ctf_file_nlabels(const struct ctf_file *f)
{
	return ctf_sect_len(f, CTF_SECT_LABELS) / 8;
}

struct ctf_label
ctf_file_label(const struct ctf_file *f, uint32_t i)
{
	return (struct ctf_label){
		ctf_str(f, get32_at(f, CTF_SECT_LABELS, 8 * i)),
		get32_at(f, CTF_SECT_LABELS, 8 * i + 4),
	};
}

/* ---- names --------------------------------------------------------------- */

/*
 * Iterate over the symbols of one class; over an index section if there is one.
 */
struct ctf_symtab_names {
	const struct ctf_file *f;
	enum ctf_sect_id index;
	bool is_func;
	size_t at; /* in the index, or in the symbols */
};

static const char *
next_name(struct ctf_symtab_names *ns)
{
	const struct ctf_file *f = ns->f;

	if (ctf_sect_len(f, ns->index) != 0)
		return ctf_str(
		    f, get32_at(f, ns->index, 4 * (uint32_t)ns->at++));
	while (f->syms != NULL && ns->at < f->syms->list.n) {
		const struct ctf_sym *s = &f->syms->list.v[ns->at++];

		if (s->is_func == ns->is_func)
			return s->name;
	}
	return "";
}

/* ---- entries ------------------------------------------------------------- */

/* A type id per symbol. */
static int
walk_ids(const struct ctf_file *f, enum ctf_sect_id id,
    struct ctf_symtab_names *ns, ctf_object_f *each, void *arg)
{
	uint32_t w = f->fmt->word;

	for (uint32_t off = 0; off < ctf_sect_len(f, id); off += w) {
		struct ctf_object o = { .name = next_name(ns),
			.type = get_word_at(f, id, off),
			.is_func = ns->is_func };
		int rc = o.type != 0 ? each(arg, &o) : 0;

		if (rc != 0)
			return rc;
	}
	return 0;
}

/*
 * The number of words of a function: info, result, arguments; 1 for a symbol
 * without data.
 */
static uint32_t
func_words(const struct ctf_file *f, uint32_t off, uint32_t *nargs)
{
	uint32_t info = get_word_at(f, CTF_SECT_FUNCS, off);

	*nargs = info & f->fmt->vlen;
	return info >> f->fmt->kind_shift == CTF_K_UNKNOWN ? 1 : 2 + *nargs;
}

static int
walk_funcs(const struct ctf_file *f, struct ctf_symtab_names *ns,
    ctf_object_f *each, void *arg)
{
	uint32_t off = 0, w = f->fmt->word, nargs, n;

	for (; off < ctf_sect_len(f, CTF_SECT_FUNCS); off += n * w) {
		const char *name = next_name(ns);
		int rc = 0;

		n = func_words(f, off, &nargs);
		if (n > 1) {
			struct ctf_object o = { .name = name,
				.is_func = true,
				.nargs = nargs,
				.type = get_word_at(f, CTF_SECT_FUNCS, off + w),
				.args =
				    ctf_sect(f, CTF_SECT_FUNCS) + off + 2 * w };

			rc = each(arg, &o);
		}
		if (rc != 0)
			return rc;
	}
	return 0;
}

int
ctf_file_objects(const struct ctf_file *f, ctf_object_f *each, void *arg)
{
	struct ctf_symtab_names names = { f, CTF_SECT_OBJIDX, false, 0 };

	return walk_ids(f, CTF_SECT_OBJECTS, &names, each, arg);
}

int
ctf_file_funcs(const struct ctf_file *f, ctf_object_f *each, void *arg)
{
	struct ctf_symtab_names names = { f, CTF_SECT_FUNCIDX, true, 0 };

	return f->h.format == CTF_FMT_GNU ?
	    walk_ids(f, CTF_SECT_FUNCS, &names, each, arg) :
	    walk_funcs(f, &names, each, arg);
}

int
ctf_file_vars(const struct ctf_file *f, ctf_object_f *each, void *arg)
{
	for (uint32_t off = 0; off < ctf_sect_len(f, CTF_SECT_VARS); off += 8) {
		struct ctf_object o = {
			.name = ctf_str(f, get32_at(f, CTF_SECT_VARS, off)),
			.type = get32_at(f, CTF_SECT_VARS, off + 4),
		};
		int rc = each(arg, &o);

		if (rc != 0)
			return rc;
	}
	return 0;
}

uint32_t
ctf_object_arg(const struct ctf_file *f, const struct ctf_object *o, uint32_t i)
{
	return ctf_get_word(f, o->args + (size_t)i * f->fmt->word);
}

/* ---- checking ------------------------------------------------------------ */

static int
check_entries(struct ctf_file *f, enum ctf_sect_id id, uint32_t entry)
{
	if (ctf_sect_len(f, id) % entry != 0)
		return ctf_bad(f, id, ctf_sect_len(f, id),
		    "its length is not "
		    "a multiple of %u",
		    entry);
	return 0;
}

static int
check_labels(struct ctf_file *f)
{
	if (check_entries(f, CTF_SECT_LABELS, 8) != 0)
		return -1;
	for (uint32_t i = 0; i < ctf_file_nlabels(f); i++) {
		if (ctf_check_str(f, CTF_SECT_LABELS, 8 * i,
			get32_at(f, CTF_SECT_LABELS, 8 * i)) != 0 ||
		    ctf_check_ref(f, CTF_SECT_LABELS, 8 * i + 4,
			get32_at(f, CTF_SECT_LABELS, 8 * i + 4)) != 0)
			return -1;
	}
	return 0;
}

static int
check_ids(struct ctf_file *f, enum ctf_sect_id id)
{
	if (check_entries(f, id, f->fmt->word) != 0)
		return -1;
	for (uint32_t off = 0; off < ctf_sect_len(f, id); off += f->fmt->word) {
		if (ctf_check_ref(f, id, off, get_word_at(f, id, off)) != 0)
			return -1;
	}
	return 0;
}

static int
check_func(struct ctf_file *f, uint32_t off, uint32_t *n)
{
	uint32_t w = f->fmt->word, nargs;
	uint32_t info = get_word_at(f, CTF_SECT_FUNCS, off);
	uint32_t kind = info >> f->fmt->kind_shift;

	*n = func_words(f, off, &nargs);
	if (kind != CTF_K_FUNCTION && (kind != CTF_K_UNKNOWN || nargs != 0))
		return ctf_bad(f, CTF_SECT_FUNCS, off,
		    "0x%x is neither a "
		    "function nor padding",
		    info);
	if (*n > (ctf_sect_len(f, CTF_SECT_FUNCS) - off) / w)
		return ctf_bad(f, CTF_SECT_FUNCS, off,
		    "%u arguments go beyond "
		    "the end of the section",
		    nargs);
	for (uint32_t i = 1; i < *n; i++) {
		if (ctf_check_ref(f, CTF_SECT_FUNCS, off + i * w,
			get_word_at(f, CTF_SECT_FUNCS, off + i * w)) != 0)
			return -1;
	}
	return 0;
}

static int
check_funcs(struct ctf_file *f)
{
	uint32_t n, len = ctf_sect_len(f, CTF_SECT_FUNCS);

	/* The types begin at a multiple of 4, so half a word may be left. */
	for (uint32_t off = 0; len - off >= f->fmt->word;
	     off += n * f->fmt->word) {
		if (check_func(f, off, &n) != 0)
			return -1;
	}
	return check_entries(f, CTF_SECT_FUNCS, f->fmt->word);
}

/* Check names, one for each entry of the parallel section. */
static int
check_index(struct ctf_file *f, enum ctf_sect_id id, enum ctf_sect_id of)
{
	uint32_t len = ctf_sect_len(f, id);

	if (len == 0)
		return 0;
	if (len != ctf_sect_len(f, of))
		return ctf_bad(f, id, 0,
		    "%u names for the %u entries of the "
		    "%s section",
		    len / 4, ctf_sect_len(f, of) / 4, ctf_sect_name(of));
	for (uint32_t off = 0; off < len; off += 4) {
		if (ctf_check_str(f, id, off, get32_at(f, id, off)) != 0)
			return -1;
	}
	return 0;
}

static int
check_vars(struct ctf_file *f)
{
	if (check_entries(f, CTF_SECT_VARS, 8) != 0)
		return -1;
	for (uint32_t off = 0; off < ctf_sect_len(f, CTF_SECT_VARS); off += 8) {
		if (ctf_check_str(f, CTF_SECT_VARS, off,
			get32_at(f, CTF_SECT_VARS, off)) != 0 ||
		    ctf_check_ref(f, CTF_SECT_VARS, off + 4,
			get32_at(f, CTF_SECT_VARS, off + 4)) != 0)
			return -1;
	}
	return 0;
}

int
ctf_check_symbols(struct ctf_file *f)
{
	bool is_gnu = f->h.format == CTF_FMT_GNU;

	if (check_labels(f) != 0 || check_ids(f, CTF_SECT_OBJECTS) != 0)
		return -1;
	if (is_gnu ? check_ids(f, CTF_SECT_FUNCS) : check_funcs(f))
		return -1;
	if (check_index(f, CTF_SECT_OBJIDX, CTF_SECT_OBJECTS) != 0 ||
	    check_index(f, CTF_SECT_FUNCIDX, CTF_SECT_FUNCS) != 0)
		return -1;
	return check_vars(f);
}
