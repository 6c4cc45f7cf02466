/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ctfdump(1): print the CTF of a file, section by section.
 *
 * A type is shown as <id> when its name is visible (a root type), else as [id].
 * Names and their layout are those of Solaris's ctfdump.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "ctf/ctf_set.h"

enum {
	SHOW_HEADER = 1,
	SHOW_LABELS = 2,
	SHOW_OBJECTS = 4,
	SHOW_FUNCS = 8,
	SHOW_TYPES = 16,
	SHOW_STRINGS = 32,
	SHOW_STATS = 64,
	SHOW_ALL = 127
};

#define RULE                                                                   \
	"------------------------------------------------------------"         \
	"------------------"

static void
heading(const char *text)
{
	int len = (int)strlen(text);

	printf("- %s %.*s\n\n", text, 76 - len, RULE);
}

static const char *
name_or_anon(const char *name)
{
	return name[0] != '\0' ? name : "(anon)";
}

/* ---- header, labels ------------------------------------------------------ */

static void
show_header(const struct ctf_file *f)
{
	const struct ctf_header *h = ctf_file_header(f);
	const struct ctf_format_info *fmt = &ctf_formats[h->format];

	heading("CTF Header");
	printf("  cth_magic    = 0x%04x%s\n", fmt->magic,
	    h->is_swapped ? " (foreign byte order)" : "");
	printf("  cth_version  = %u\t(%s)\n", fmt->version, fmt->name);
	printf("  cth_flags    = 0x%02x%s\n", h->flags,
	    (h->flags & CTF_HDR_COMPRESS) != 0 ? "\t(compressed)" : "");
	printf("  cth_parlabel = %s\n", name_or_anon(h->parlabel));
	printf("  cth_parname  = %s\n", name_or_anon(h->parname));
	if (h->format == CTF_FMT_GNU)
		printf("  cth_cuname   = %s\n", name_or_anon(h->cuname));
	for (int i = 0; i < CTF_NSECTS; i++) {
		if (h->sects[i].len != 0)
			printf("  %-14s = 0x%x, %u bytes\n",
			    ctf_sect_name((enum ctf_sect_id)i), h->sects[i].off,
			    h->sects[i].len);
	}
	putchar('\n');
}

static void
show_labels(const struct ctf_file *f)
{
	heading("Label Table");
	for (uint32_t i = 0; i < ctf_file_nlabels(f); i++) {
		struct ctf_label l = ctf_file_label(f, i);

		printf("  %5u %s\n", l.last, name_or_anon(l.name));
	}
	putchar('\n');
}

/* ---- objects, functions -------------------------------------------------- */

struct lister {
	const struct ctf_file *f;
	unsigned n;
};

static void
show_args(const struct lister *l, const struct ctf_object *o)
{
	printf("(");
	for (uint32_t i = 0; i < o->nargs; i++) {
		uint32_t id = ctf_object_arg(l->f, o, i);

		printf(i == 0 ? "" : ", ");
		printf(id == 0 && i + 1 == o->nargs ? "..." : "%u", id);
	}
	printf(")");
}

static int
show_object(void *arg, const struct ctf_object *o)
{
	struct lister *l = arg;

	printf("  [%u] %s ", l->n++, name_or_anon(o->name));
	if (o->is_func && o->args != NULL) {
		printf("returns: %u args: ", o->type);
		show_args(l, o);
		putchar('\n');
	} else {
		printf("%u\n", o->type);
	}
	return 0;
}

static void
show_objects(const struct ctf_file *f)
{
	struct lister objects = { f, 0 }, vars = { f, 0 };

	heading("Data Objects");
	ctf_file_objects(f, show_object, &objects);
	putchar('\n');
	if (ctf_file_header(f)->sects[CTF_SECT_VARS].len == 0)
		return;
	heading("Variables");
	ctf_file_vars(f, show_object, &vars);
	putchar('\n');
}

static void
show_funcs(const struct ctf_file *f)
{
	struct lister l = { f, 0 };

	heading("Functions");
	ctf_file_funcs(f, show_object, &l);
	putchar('\n');
}

/* ---- types --------------------------------------------------------------- */

static void
show_int_flags(uint32_t encoding)
{
	static const char *const flags[] = { "SIGNED", "CHAR", "BOOL",
		"VARARGS" };
	const char *sep = "";

	for (unsigned i = 0; i < 4; i++) {
		if ((encoding >> 24 & 1u << i) != 0) {
			printf("%s%s", sep, flags[i]);
			sep = " ";
		}
	}
	if (encoding >> 24 == 0)
		printf("UNSIGNED");
}

static void
show_number(const struct ctf_rec *r)
{
	printf("%s encoding=", name_or_anon(r->name));
	if (r->kind == CTF_K_INTEGER)
		show_int_flags(r->encoding);
	else
		printf("%s", ctf_float_name(r->encoding));
	printf(" offset=%u bits=%u", r->encoding >> 16 & 0xff,
	    r->encoding & 0xffff);
}

static void
show_members(const struct ctf_file *f, const struct ctf_rec *r)
{
	printf(" (%llu bytes)", (unsigned long long)r->size);
	for (uint32_t i = 0; i < r->vlen; i++) {
		struct ctf_file_member m = ctf_file_member(f, r, i);

		printf("\n\t%s type=%u off=%llu", name_or_anon(m.name), m.type,
		    (unsigned long long)m.bit_off);
	}
}

static void
show_enums(const struct ctf_file *f, const struct ctf_rec *r)
{
	for (uint32_t i = 0; i < r->vlen; i++) {
		struct ctf_enumerator e = ctf_file_enum(f, r, i);

		printf("\n\t%s = %lld", e.name, (long long)e.value);
	}
}

static void
show_prototype(const struct ctf_file *f, const struct ctf_rec *r)
{
	printf(" returns: %u args: (", r->ref);
	for (uint32_t i = 0; i < r->vlen; i++) {
		uint32_t id = ctf_file_arg(f, r, i);

		printf(i == 0 ? "" : ", ");
		printf(id == 0 && i + 1 == r->vlen ? "..." : "%u", id);
	}
	printf(")");
}

static void
show_array(const struct ctf_file *f, const struct ctf_rec *r)
{
	struct ctf_file_array a = ctf_file_array(f, r);

	printf(
	    " content: %u index: %u nelems: %u", a.contents, a.index, a.nelems);
}

static void
show_slice(const struct ctf_file *f, const struct ctf_rec *r)
{
	struct ctf_file_slice s = ctf_file_slice(f, r);

	printf(" of %u offset=%u bits=%u", s.type, s.bit_off, s.bits);
}

static void
show_reference(const struct ctf_rec *r)
{
	switch (ctf_kind_info(r->kind)->field) {
	case CTF_FIELD_TYPE:
		printf(" refers to %u", r->ref);
		break;
	case CTF_FIELD_TAG:
		if (r->ref != 0)
			printf(" (%s)", ctf_kind_info(r->ref)->name);
		break;
	case CTF_FIELD_NONE:
	case CTF_FIELD_SIZE:
		break;
	}
}

static void
show_type_data(const struct ctf_file *f, const struct ctf_rec *r)
{
	switch (ctf_kind_info(r->kind)->data) {
	case CTF_DATA_NOTHING:
		show_reference(r);
		break;
	case CTF_DATA_ENCODING:
		break;
	case CTF_DATA_ARRAY:
		show_array(f, r);
		break;
	case CTF_DATA_ARGS:
		show_prototype(f, r);
		break;
	case CTF_DATA_MEMBERS:
		show_members(f, r);
		break;
	case CTF_DATA_ENUMS:
		show_enums(f, r);
		break;
	case CTF_DATA_SLICE:
		show_slice(f, r);
		break;
	}
}

static void
show_type(const struct ctf_file *f, uint32_t id)
{
	struct ctf_rec r;

	ctf_file_rec(f, id, &r);
	printf(r.is_root ? "  <%u> " : "  [%u] ", id);
	if (ctf_kind_info(r.kind)->data == CTF_DATA_ENCODING) {
		show_number(&r);
	} else {
		printf(
		    "%s %s", ctf_kind_info(r.kind)->name, name_or_anon(r.name));
		show_type_data(f, &r);
	}
	putchar('\n');
}

static void
show_types(const struct ctf_file *f)
{
	heading("Types");
	for (uint32_t i = 1; i <= ctf_file_ntypes(f); i++)
		show_type(f, ctf_file_id(f, i));
	putchar('\n');
}

/* ---- strings, statistics ------------------------------------------------- */

static void
show_strings(const struct ctf_file *f)
{
	size_t len;
	const char *s = ctf_file_strings(f, &len);

	heading("String Table");
	for (size_t off = 0; off < len; off += strlen(s + off) + 1)
		printf("  [%zu] %s\n", off, off == 0 ? "\\0" : s + off);
	putchar('\n');
}

struct totals {
	unsigned n, args, max_args;
};

static int
count_object(void *arg, const struct ctf_object *o)
{
	struct totals *t = arg;

	t->args += o->nargs;
	if (o->nargs > t->max_args)
		t->max_args = o->nargs;
	t->n++;
	return 0;
}

static void
show_kinds(const struct ctf_file *f)
{
	unsigned kinds[256] = { 0 };
	uint64_t elems[256] = { 0 };

	for (uint32_t i = 1; i <= ctf_file_ntypes(f); i++) {
		struct ctf_rec r;

		ctf_file_rec(f, ctf_file_id(f, i), &r);
		kinds[r.kind]++;
		elems[r.kind] += r.vlen;
	}
	for (unsigned k = 0; k < 256; k++) {
		if (kinds[k] == 0)
			continue;
		printf("    %-32s = %u", ctf_kind_info(k)->name, kinds[k]);
		if (elems[k] != 0)
			printf(", %llu elements", (unsigned long long)elems[k]);
		putchar('\n');
	}
}

static void
show_stats(const struct ctf_file *f)
{
	const struct ctf_header *h = ctf_file_header(f);
	struct totals objects = { 0 }, funcs = { 0 };
	uint32_t total = ctf_formats[h->format].header;

	heading("CTF Statistics");
	ctf_file_objects(f, count_object, &objects);
	ctf_file_funcs(f, count_object, &funcs);
	for (int i = 0; i < CTF_NSECTS; i++)
		total += h->sects[i].len;
	printf("  total number of data objects       = %u\n", objects.n);
	printf("  total number of functions          = %u\n", funcs.n);
	printf("  total number of function arguments = %u\n", funcs.args);
	printf("  maximum argument list length       = %u\n", funcs.max_args);
	printf(
	    "  total number of types              = %u\n", ctf_file_ntypes(f));
	show_kinds(f);
	printf("  total bytes of types               = %u\n",
	    h->sects[CTF_SECT_TYPES].len);
	printf("  total bytes of strings             = %u\n",
	    h->sects[CTF_SECT_STRINGS].len);
	printf("  total bytes, uncompressed          = %u\n\n", total);
}

/* ------------------------------------------------------------------------- */

static void
show_file(const struct ctf_file *f, unsigned show)
{
	if (show & SHOW_HEADER)
		show_header(f);
	if (show & SHOW_LABELS)
		show_labels(f);
	if (show & SHOW_OBJECTS)
		show_objects(f);
	if (show & SHOW_FUNCS)
		show_funcs(f);
	if (show & SHOW_TYPES)
		show_types(f);
	if (show & SHOW_STRINGS)
		show_strings(f);
	if (show & SHOW_STATS)
		show_stats(f);
}

static void
usage(void)
{
	fprintf(stderr,
	    "Usage: ctfdump [-hldftsS] file ...\n"
	    "\t-h\theader\n"
	    "\t-l\tlabels\n"
	    "\t-d\tdata objects\n"
	    "\t-f\tfunctions\n"
	    "\t-t\ttypes\n"
	    "\t-s\tstrings\n"
	    "\t-S\tstatistics\n"
	    "\tEverything is shown when no option is given.\n");
}

/* The parts that the options select; 0: wrong options. */
static unsigned
parse_options(int argc, char **argv)
{
	static const char letters[] = "hldftsS";
	unsigned show = 0;
	int c;

	while ((c = getopt(argc, argv, letters)) != -1) {
		const char *at = strchr(letters, c);

		if (c == '?' || at == NULL)
			return 0;
		show |= 1u << (at - letters);
	}
	if (optind == argc)
		return 0;
	return show != 0 ? show : SHOW_ALL;
}

static int
dump(const char *path, unsigned show)
{
	struct ctf_set *s;
	struct err err = { 0 };

	if (ctf_set_open(path, &s, &err) != 0) {
		fprintf(stderr, "ctfdump: %s\n", err_text(&err));
		err_clear(&err);
		return 1;
	}
	for (size_t i = 0; i < ctf_set_n(s); i++) {
		if (ctf_set_n(s) > 1)
			printf("CTF dictionary %s:\n\n", ctf_set_name(s, i));
		show_file(ctf_set_file(s, i), show);
	}
	ctf_set_close(s);
	return 0;
}

int
main(int argc, char **argv)
{
	unsigned show = parse_options(argc, argv);
	int rc = 0;

	if (show == 0) {
		usage();
		return 2;
	}
	for (int i = optind; i < argc; i++) {
		if (argc - optind > 1)
			printf("%s:\n\n", argv[i]);
		rc |= dump(argv[i], show);
	}
	return rc;
}
