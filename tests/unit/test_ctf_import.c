/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The types of one program (tests/prog/types.c) are the same from all sources:
 * DWARF 4 or 5, with or without type units, GNU's CTF, or CTF made from DWARF.
 * Hand-made CTF becomes the right nodes.
 */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "ctf/ctf_convert.h"
#include "ctf/ctf_elf.h"
#include "ctf/ctf_import.h"
#include "ctf_make.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* ---- a type as text ------------------------------------------------------ */

/*
 * The full description of a type: two texts are equal only if the types are.
 * Bodies of tags are written up to `depth`, and below only the tags.
 */
static void describe(struct strbuf *sb, struct ctf_type *t, int depth);

static void
describe_members(struct strbuf *sb, struct ctf_type *t, int depth)
{
	strbuf_printf(sb, "%llu/%u{", (unsigned long long)t->size, t->align);
	VEC_FOREACH(&t->members, m) {
		strbuf_printf(sb, "%s@%llu:%u ", m->name ? m->name : "-",
		    (unsigned long long)m->bit_off, m->bits);
		describe(sb, m->type, depth);
		strbuf_addc(sb, ';');
	}
	strbuf_addc(sb, '}');
}

static void
describe_enum(struct strbuf *sb, struct ctf_type *t)
{
	strbuf_printf(sb, "%llu{", (unsigned long long)t->size);
	VEC_FOREACH(&t->enums, e)
		strbuf_printf(sb, "%s=%d ", e->name, (int)e->value);
	strbuf_addc(sb, '}');
}

static void
describe_body(struct strbuf *sb, struct ctf_type *t, int depth)
{
	strbuf_printf(sb, "%s %s ",
	    t->kind == CTF_K_STRUCT    ? "struct" :
		t->kind == CTF_K_UNION ? "union" :
					 "enum",
	    t->name ? t->name : "-");
	if (t->name != NULL && depth <= 0)
		return;
	t = ctf_resolve(t);
	if (t->is_incomplete)
		strbuf_adds(sb, "incomplete");
	else if (t->kind == CTF_K_ENUM)
		describe_enum(sb, t);
	else
		describe_members(sb, t, depth - 1);
}

static void
describe_function(struct strbuf *sb, struct ctf_type *t, int depth)
{
	strbuf_adds(sb, "function ");
	describe(sb, t->ref, depth);
	strbuf_addc(sb, '(');
	VEC_FOREACH(&t->params, p) {
		describe(sb, *p, depth);
		strbuf_addc(sb, ',');
	}
	strbuf_adds(sb, t->varargs ? "...)" : ")");
}

static void
describe(struct strbuf *sb, struct ctf_type *t, int depth)
{
	switch (t->kind) {
	case CTF_K_STRUCT:
	case CTF_K_UNION:
	case CTF_K_ENUM:
		describe_body(sb, t, depth);
		return;
	case CTF_K_POINTER:
		strbuf_adds(sb, "* ");
		describe(sb, t->ref, depth - 1);
		return;
	case CTF_K_ARRAY:
		strbuf_printf(sb, "[%llu] ", (unsigned long long)t->nelems);
		describe(sb, t->ref, depth);
		return;
	case CTF_K_FUNCTION:
		describe_function(sb, t, depth - 1);
		return;
	case CTF_K_CONST:
	case CTF_K_VOLATILE:
		strbuf_adds(
		    sb, t->kind == CTF_K_CONST ? "const " : "volatile ");
		describe(sb, t->ref, depth);
		return;
	case CTF_K_TYPEDEF:
		strbuf_printf(sb, "%s=", t->name);
		describe(sb, t->ref, depth);
		return;
	default:
		strbuf_printf(sb, "%s/%llu/%x ", t->name,
		    (unsigned long long)t->size, t->encoding);
	}
}

/* ---- sources ------------------------------------------------------------- */

struct source {
	struct ctf_graph g;
	struct ctf_import *im;
	char *path;
	bool is_temporary;
};

static char *
prog_path(const char *name)
{
	const char *dir = getenv("PROGS");

	assert_non_null(dir);
	return mem_printf("%s/%s", dir, name);
}

static void
open_source(struct source *s, char *path)
{
	memset(s, 0, sizeof(*s));
	ctf_graph_init(&s->g);
	s->path = path;
	s->im = ctf_import_program("prog", path);
	ctf_import_add(&s->g, s->im);
}

static void
close_source(struct source *s)
{
	ctf_graph_fini(&s->g);
	if (s->is_temporary)
		unlink(s->path);
	free(s->path);
}

/* The CTF that ctfconvert would make of a program's DWARF. */
static void
open_converted(struct source *s, const char *name, enum ctf_format format)
{
	struct ctf_build_opts opts = { format, true, "label" };
	char *path = prog_path(name);
	struct err err = { 0 };
	char *to = mem_strdup("/tmp/test_ctf_import.XXXXXX");
	struct strbuf out = { 0 }, notes = { 0 };
	int fd = mkstemp(to);

	assert_true(fd >= 0);
	if (ctf_convert(path, &opts, &out, &notes, &err) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(write(fd, out.s, out.len), out.len);
	close(fd);
	strbuf_fini(&out);
	strbuf_fini(&notes);
	free(path);
	open_source(s, to);
	s->is_temporary = true;
}

/* A copy of the program with a CTF section made of its DWARF. */
static void
open_source_with_section(struct source *s, const char *name)
{
	char *path = prog_path(name);
	char *to = mem_printf("/tmp/test_ctf_import.%d", (int)getpid());
	char *command = mem_printf(
	    "%s/../../ctfconvert -o %s %s", getenv("PROGS"), to, path);

	assert_int_equal(system(command), 0);
	free(command);
	free(path);
	open_source(s, to);
	s->is_temporary = true;
}

static char *
text_of(struct ctf_type *t)
{
	struct strbuf sb = { 0 };

	if (t == NULL)
		strbuf_adds(&sb, "nothing");
	else
		describe(&sb, t, 3);
	return strbuf_steal(&sb);
}

/* ---- the same everywhere ------------------------------------------------- */

static const struct {
	enum ctf_space space;
	const char *name;
} types[] = {
	{ CTF_SP_STRUCT, "node" },
	{ CTF_SP_STRUCT, "bits" },
	{ CTF_SP_STRUCT, "nested" },
	{ CTF_SP_STRUCT, "odd" },
	{ CTF_SP_STRUCT, "flexible" },
	{ CTF_SP_STRUCT, "large" },
	{ CTF_SP_STRUCT, "point" },
	{ CTF_SP_STRUCT, "opaque" },
	{ CTF_SP_UNION, "value" },
	{ CTF_SP_ENUM, "flags" },
	{ CTF_SP_ENUM, "small" },
	{ CTF_SP_ENUM, "colour" },
	{ CTF_SP_ORDINARY, "place_t" },
	{ CTF_SP_ORDINARY, "node_t" },
	{ CTF_SP_ORDINARY, "visit_f" },
	{ CTF_SP_ORDINARY, "size_t" },
	{ CTF_SP_ORDINARY, "va_list" },
	{ CTF_SP_ORDINARY, "uint64_t" },
	{ CTF_SP_ORDINARY, "int" },
	{ CTF_SP_STRUCT, "no_such" },
};

static const char *const symbols[] = { "a_node", "some_bits", "a_nested",
	"an_odd", "a_flexible", "a_large", "a_colour", "a_pointer", "table",
	"corners", "places", "args", "wait_here", "main", "visit", "no_such" };

static void
compare_texts(const char *name, const struct source *of, char *a, char *b)
{
	if (strcmp(a, b) != 0)
		fail_msg("%s of %s is\n%s\nnot\n%s", name, of->path, b, a);
	free(a);
	free(b);
}

static char *
symbol_text(struct source *s, const char *name)
{
	struct ctf_symbol sym;

	return text_of(s->im->ops->symbol(s->im, name, &sym) ? sym.type : NULL);
}

static void
compare_type(struct source *a, struct source *b, size_t i)
{
	compare_texts(types[i].name, b,
	    text_of(a->im->ops->type(a->im, types[i].space, types[i].name)),
	    text_of(b->im->ops->type(b->im, types[i].space, types[i].name)));
}

static void
same_as(const char *first, const char *second)
{
	struct source a, b;

	open_source(&a, prog_path(first));
	open_source(&b, prog_path(second));
	for (size_t i = 0; i < N(types); i++)
		compare_type(&a, &b, i);
	for (size_t i = 0; i < N(symbols); i++)
		compare_texts(symbols[i], &b, symbol_text(&a, symbols[i]),
		    symbol_text(&b, symbols[i]));
	close_source(&a);
	close_source(&b);
}

static void
same_in_dwarf(void **state)
{
	(void)state;
	same_as("types_dwarf4", "types_dwarf5");
	same_as("types_dwarf4", "types_units4");
	same_as("types_dwarf4", "types_units5");
	same_as("types_dwarf4", "types_dwarf4.o");
	same_as("types_dwarf4", "types_dwarf5.o");
}

/* Object files, which are not linked yet, have symbols in index sections. */
static void
same_in_gnu_ctf(void **state)
{
	(void)state;
	same_as("types_dwarf5", "types_gctf.o");
}

/*
 * ld 2.40 loses the types of symbols that are not dynamic, makes a struct that
 * ends with a bit-field one byte longer, and all enums 4 bytes (objdump --ctf
 * says so too).
 */
static bool
is_kept_by_ld(const char *name)
{
	return strcmp(name, "bits") != 0 && strcmp(name, "odd") != 0 &&
	    strcmp(name, "small") != 0;
}

static void
same_in_linked_ctf(void **state)
{
	struct source a, b;

	(void)state;
	open_source(&a, prog_path("types_dwarf5"));
	open_source(&b, prog_path("types_gctf"));
	for (size_t i = 0; i < N(types); i++) {
		if (is_kept_by_ld(types[i].name))
			compare_type(&a, &b, i);
	}
	close_source(&a);
	close_source(&b);
}

static void
same_when_converted(void **state)
{
	struct source a, b;

	(void)state;
	for (int format = CTF_FMT_V2; format <= CTF_FMT_V3; format++) {
		open_source(&a, prog_path("types_dwarf5"));
		open_converted(&b, "types_units4", (enum ctf_format)format);
		/* bits: see bitfields_in_version_2() */
		for (size_t i = 0; i < N(types); i++) {
			if (strcmp(types[i].name, "bits") != 0)
				compare_type(&a, &b, i);
		}
		close_source(&a);
		close_source(&b);
	}
}

/* The expected texts of some types, so that the compared texts cannot all be
 * wrong in the same way: tests/prog/types.c is the authority. */
static void
texts_are_right(void **state)
{
	static const struct {
		enum ctf_space space;
		const char *name, *text;
	} expect[] = {
		{ CTF_SP_STRUCT, "point",
		    "struct point 8/4{x@0:0 int/4/1 ;"
		    "y@32:0 int/4/1 ;}" },
		{ CTF_SP_STRUCT, "tensor",
		    "struct tensor 60/2{v@0:0 [2] [3] "
		    "[5] short/2/1 ;}" },
		{ CTF_SP_ENUM, "colour",
		    "enum colour 4{RED=0 GREEN=5 "
		    "BLUE=-7 }" },
		{ CTF_SP_ENUM, "top", "enum top 4{T_TOP=-2147483648 }" },
		{ CTF_SP_ENUM, "small", "enum small 1{TINY=0 BIG=200 }" },
		{ CTF_SP_STRUCT, "bits",
		    "struct bits 16/8{low@0:3 unsigned "
		    "int/4/0 ;mid@5:7 int/4/1 ;colour@12:4 enum colour 4{RED=0 "
		    "GREEN=5 BLUE=-7 };flag@16:1 _Bool/1/4 ;byte@24:0 unsigned "
		    "char/1/2 ;wide@64:40 uint64_t=__uint64_t=unsigned "
		    "long/8/0 ;rest@104:24 uint64_t=__uint64_t=unsigned "
		    "long/8/0 ;}" },
	};
	struct source s;

	(void)state;
	open_source(&s, prog_path("types_dwarf5"));
	for (size_t i = 0; i < N(expect); i++) {
		char *text = text_of(
		    s.im->ops->type(s.im, expect[i].space, expect[i].name));

		assert_string_equal(text, expect[i].text);
		free(text);
	}
	close_source(&s);
}

static void
bitfields_in_version_2(void **state)
{
	struct source s;

	(void)state;
	open_converted(&s, "types_dwarf5", CTF_FMT_V2);
	compare_texts("bits", &s,
	    mem_strdup(
		"struct bits 16/8{low@0:3 "
		"unsigned int/4/0 ;mid@5:7 int/4/1 ;colour@12:4 colour/4/1 ;flag@"
		"16:1 _Bool/1/4 ;byte@24:0 unsigned char/1/2 ;wide@64:40 uint64_t="
		"__uint64_t=unsigned long/8/0 ;rest@104:24 uint64_t=__uint64_t="
		"unsigned long/8/0 ;}"),
	    text_of(s.im->ops->type(s.im, CTF_SP_STRUCT, "bits")));
	close_source(&s);
}

static void
order_of_dimensions(void **state)
{
	struct source a, b;

	(void)state;
	open_source(&a, prog_path("types_dwarf5"));
	open_converted(&b, "types_dwarf4", CTF_FMT_V2);
	compare_texts("tensor", &b,
	    text_of(a.im->ops->type(a.im, CTF_SP_STRUCT, "tensor")),
	    text_of(b.im->ops->type(b.im, CTF_SP_STRUCT, "tensor")));
	close_source(&a);
	close_source(&b);
}

/* ---- two files that contradict each other -------------------------------- */

static uint64_t
size_of_symbol(struct source *s, const char *name)
{
	struct ctf_symbol sym;

	assert_true(s->im->ops->symbol(s->im, name, &sym));
	return ctf_resolve(sym.type)->size;
}

/* other_point is two doubles, the points of types.c are two ints. */
static void
contradictions(void **state)
{
	struct source s;

	(void)state;
	for (int i = 0; i < 2; i++) {
		if (i == 0)
			open_source(&s, prog_path("two_dwarf5"));
		else
			open_source_with_section(&s, "two_dwarf5");
		assert_int_equal(size_of_symbol(&s, "other_point"), 16);
		assert_int_equal(size_of_symbol(&s, "corners"), 16 * 8);
		/* declared in one file, defined in the other */
		assert_int_equal(size_of_symbol(&s, "the_opaque"), 8);
		close_source(&s);
	}
}

static struct ctf_type *
hidden_target(struct source *s)
{
	struct ctf_type *t = s->im->ops->type(s->im, CTF_SP_STRUCT, "node");
	const struct ctf_member *m;
	uint64_t off;

	assert_non_null(t);
	m = ctf_member_find(ctf_resolve(t), "hidden", &off);
	assert_non_null(m);
	return ctf_resolve(ctf_strip(m->type)->ref);
}

static void
declaration_finds_its_body(void **state)
{
	struct source s;

	(void)state;
	open_source(&s, prog_path("two_dwarf4"));
	assert_false(hidden_target(&s)->is_incomplete);
	assert_int_equal(hidden_target(&s)->size, 8);
	close_source(&s);
	open_source(&s, prog_path("types_dwarf4"));
	assert_true(hidden_target(&s)->is_incomplete);
	close_source(&s);
}

/* ld puts contradicting types into members of an archive. */
static void
archive_of_ld(void **state)
{
	struct source s;
	struct ctf_type *t;

	(void)state;
	open_source(&s, prog_path("two_gctf"));
	t = s.im->ops->type(s.im, CTF_SP_STRUCT, "nested");
	assert_non_null(t);
	t = s.im->ops->type(s.im, CTF_SP_STRUCT, "opaque");
	assert_int_equal(ctf_resolve(t)->size, 8);
	t = s.im->ops->type(s.im, CTF_SP_STRUCT, "point");
	assert_false(ctf_resolve(t)->is_incomplete);
	close_source(&s);
}

/* ---- hand-made ----------------------------------------------------------- */

static struct ctf_import *
import_made(struct ctf_graph *g, struct ctf_make *m, struct err *err)
{
	struct strbuf img = { 0 };
	struct ctf_import *im;
	struct ctf_set *set;

	mk_finish(m, &img);
	assert_int_equal(ctf_set_decode(img.s, img.len, &set, err), 0);
	im = ctf_import_set("made", set, NULL, err);
	if (im != NULL)
		ctf_import_add(g, im);
	strbuf_fini(&img);
	mk_free(m);
	return im;
}

static void
every_made_type(void **state)
{
	(void)state;
	for (int format = CTF_FMT_V2; format <= CTF_FMT_GNU; format++) {
		struct ctf_make m = { .format = (enum ctf_format)format };
		struct ctf_graph g;
		struct ctf_import *im;
		struct ctf_type *t;
		int64_t value;
		char *text;
		struct err err = { 0 };

		ctf_graph_init(&g);
		mk_everything(&m);
		im = import_made(&g, &m, &err);
		assert_non_null(im);
		text = text_of(im->ops->type(im, CTF_SP_ORDINARY, "s_t"));
		assert_string_equal(text,
		    "s_t=struct s 8/4{a@0:0 int/4/1 ;"
		    "bf@32:3 unsigned int/4/0 ;}");
		free(text);
		text = text_of(im->ops->type(im, CTF_SP_UNION, "u"));
		assert_string_equal(text,
		    "union u 4/4{i@0:0 int/4/1 ;c@0:0 "
		    "char/1/3 ;}");
		free(text);
		assert_int_equal(im->ops->enumerator(im, "B", &t, &value), 1);
		assert_int_equal(value, -1);
		assert_string_equal(t->name, "e");
		assert_int_equal(im->ops->enumerator(im, "C", &t, &value), 0);
		/* its name is not visible */
		assert_null(im->ops->type(im, CTF_SP_ORDINARY, "unsigned int"));
		ctf_graph_fini(&g);
	}
}

static void
other_machines_are_refused(void **state)
{
	struct ctf_make m = { .format = CTF_FMT_V2, .swap = true };
	struct ctf_graph g;
	struct err err = { 0 };

	(void)state;
	ctf_graph_init(&g);
	mk_everything(&m);
	assert_null(import_made(&g, &m, &err));
	assert_string_equal(err.text,
	    "the types of made are those of another "
	    "machine: the byte order differs");
	err_clear(&err);
	ctf_graph_fini(&g);
}

/* A 32-bit program has other pointers and other longs. */
static void
small_programs_are_refused(void **state)
{
	static const char *const forms[] = { "-g", "-gctf" };

	(void)state;
	for (size_t i = 0; i < N(forms); i++) {
		char *command =
		    mem_printf("echo 'struct s { long l; } v;' | "
			       "gcc -m32 %s -c -x c - -o /tmp/test_ctf_32.o",
			forms[i]);
		struct source s;

		assert_int_equal(system(command), 0);
		free(command);
		open_source(&s, mem_strdup("/tmp/test_ctf_32.o"));
		s.is_temporary = true;
		assert_null(s.im->ops->type(s.im, CTF_SP_STRUCT, "s"));
		assert_non_null(
		    strstr(s.im->problem, "are those of another machine"));
		close_source(&s);
	}
}

/* Typedefs in a circle and a struct in itself give no types and no crash. */
static void
circles(void **state)
{
	struct ctf_make m = { .format = CTF_FMT_V2 };
	struct ctf_import *im;
	struct ctf_graph g;
	struct ctf_type *t;
	struct err err = { 0 };

	(void)state;
	ctf_graph_init(&g);
	mk_type(&m, CTF_K_TYPEDEF, "one", 0, 2);
	mk_type(&m, CTF_K_TYPEDEF, "two", 0, 1);
	mk_type(&m, CTF_K_STRUCT, "self", 1, 8);
	mk_member(&m, "me", 3, 0, false);
	im = import_made(&g, &m, &err);
	assert_null(im->ops->type(im, CTF_SP_ORDINARY, "one"));
	t = im->ops->type(im, CTF_SP_STRUCT, "self");
	assert_non_null(t);
	assert_true(ctf_resolve(t)->is_incomplete);
	ctf_graph_fini(&g);
}

static void
long_chain(void **state)
{
	struct ctf_make m = { .format = CTF_FMT_V2 };
	struct ctf_import *im;
	struct ctf_graph g;
	struct err err = { 0 };

	(void)state;
	ctf_graph_init(&g);
	for (uint32_t i = 1; i < 30000; i++) {
		char name[16];

		snprintf(name, sizeof(name), "t%u", i);
		m.nrecs = 0;
		mk_type(&m, CTF_K_TYPEDEF, name, 0, i + 1);
	}
	m.nrecs = 0;
	mk_type(&m, CTF_K_TYPEDEF, "end", 0, 0);
	im = import_made(&g, &m, &err);
	assert_null(im->ops->type(im, CTF_SP_ORDINARY, "t1"));
	assert_non_null(im->ops->type(im, CTF_SP_ORDINARY, "t29990"));
	ctf_graph_fini(&g);
}

static void
problems_are_told(void **state)
{
	static const struct {
		const char *path, *problem;
	} cases[] = {
		{ "/nonexistent/prog",
		    "/nonexistent/prog: No such file or "
		    "directory" },
		{ "/etc/passwd", "CTF: header, offset 0x0: 0x" },
		{ "/bin/true", "/bin/true: no DWARF: " },
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct source s;

		open_source(&s, mem_strdup(cases[i].path));
		assert_null(s.im->problem);
		assert_null(s.im->ops->type(s.im, CTF_SP_STRUCT, "x"));
		assert_non_null(s.im->problem);
		if (strstr(s.im->problem, cases[i].problem) == NULL)
			fail_msg("'%s' does not say: %s", s.im->problem,
			    cases[i].problem);
		close_source(&s);
	}
}

/* Run a shell command about a program. */
static void
run(const char *before, const char *prog, const char *after)
{
	char *path = prog_path(prog);
	char *command = mem_printf("%s %s %s", before, path, after);

	assert_int_equal(system(command), 0);
	free(command);
	free(path);
}

static void
read_all(const char *path, struct strbuf *sb)
{
	FILE *f = fopen(path, "rb");
	char buf[4096];
	size_t n;

	assert_non_null(f);
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0)
		strbuf_add(sb, buf, n);
	fclose(f);
}

/* All bytes after the ELF header stay; an existing section is replaced; the
 * program still runs. */
static void
file_keeps_its_contents(void **state)
{
	struct strbuf before = { 0 }, once = { 0 }, twice = { 0 };
	char *path = prog_path("types_dwarf5");
	struct source s;
	char *command;

	(void)state;
	read_all(path, &before);
	open_source_with_section(&s, "types_dwarf5");
	read_all(s.path, &once);
	assert_true(once.len > before.len);
	assert_memory_equal(once.s + 64, before.s + 64, before.len - 64);
	command = mem_printf("%s && %s/../../ctfconvert -z %s && %s", s.path,
	    getenv("PROGS"), s.path, s.path);
	assert_int_equal(system(command), 0);
	read_all(s.path, &twice);
	assert_int_equal(once.s[60], before.s[60] + 1); /* e_shnum */
	assert_int_equal(twice.s[60], once.s[60]);
	free(command);
	strbuf_fini(&before);
	strbuf_fini(&once);
	strbuf_fini(&twice);
	close_source(&s);
	free(path);
}

/* Wrong fields of the ELF header and of section headers. */
static void
malformed_elf_is_refused(void **state)
{
	static const struct {
		size_t off;
		uint16_t value;
		const char *expect;
	} bad[] = {
		{ 0, 0, "it is not an ELF file" },
		{ 4, 0x0101, "only 64-bit little-endian" },
		{ 4, 0x0202, "only 64-bit little-endian" },
		{ 42, 0x1000, "its section headers lie outside" },
		{ 60, 0, "it has no section headers" },
		{ 60, 0xfe00, "its section headers lie outside" },
		{ 58, 32, "it has no section headers" },
		{ 62, 0xff00, "it has no section names" },
	};
	char *path = prog_path("types_dwarf5.o");
	struct strbuf img = { 0 }, data = { 0 };

	(void)state;
	strbuf_adds(&data, "data");
	for (size_t i = 0; i < N(bad); i++) {
		struct strbuf out = { 0 };
		struct err err = { 0 };

		strbuf_reset(&img);
		read_all(path, &img);
		memcpy(img.s + bad[i].off, &bad[i].value, 2);
		assert_int_equal(ctf_elf_add_section(
				     img.s, img.len, ".x", &data, &out, &err),
		    -EINVAL);
		if (strstr(err.text, bad[i].expect) == NULL)
			fail_msg(
			    "'%s' does not say: %s", err.text, bad[i].expect);
		err_clear(&err);
		strbuf_fini(&out);
	}
	strbuf_fini(&img);
	strbuf_fini(&data);
	free(path);
}

/* The program's debug information is in a separate file beside it. */
static void
split_debug_file(void **state)
{
	struct source a, b;

	(void)state;
	run("cp", "types_dwarf5", "/tmp/test_ctf_split");
	run("objcopy --only-keep-debug", "types_dwarf5",
	    "/tmp/test_ctf_split.debug");
	assert_int_equal(
	    system("cd /tmp && objcopy --strip-debug "
		   "--add-gnu-debuglink=test_ctf_split.debug test_ctf_split"),
	    0);
	open_source(&a, prog_path("types_dwarf5"));
	open_source(&b, mem_strdup("/tmp/test_ctf_split"));
	b.is_temporary = true;
	for (size_t i = 0; i < N(types); i++)
		compare_type(&a, &b, i);
	close_source(&a);
	close_source(&b);
	unlink("/tmp/test_ctf_split.debug");
}

static void
missing_supplement_is_told(void **state)
{
	struct source s;

	(void)state;
	assert_int_equal(
	    system("printf 'gone.debug\\0"
		   "abcdefghijklmnopqrst' >/tmp/test_ctf_alt.section"),
	    0);
	run("objcopy --add-section "
	    ".gnu_debugaltlink=/tmp/test_ctf_alt.section",
	    "types_dwarf5", "/tmp/test_ctf_alt");
	open_source(&s, mem_strdup("/tmp/test_ctf_alt"));
	s.is_temporary = true;
	assert_null(s.im->ops->type(s.im, CTF_SP_STRUCT, "node"));
	assert_string_equal(s.im->problem,
	    "/tmp/test_ctf_alt: its DWARF "
	    "continues in gone.debug, which is not there or not the one that "
	    "belongs to it");
	close_source(&s);
	unlink("/tmp/test_ctf_alt.section");
}

/* two_dwarf5, whose second unit has an impossible version of DWARF. */
static char *
damaged_dwarf(void)
{
	const char *file = "/tmp/test_ctf_damaged";
	const uint16_t version = 0x7777;
	struct strbuf info = { 0 };
	uint32_t len; /* of the first unit, behind this word */
	FILE *f;

	run("objcopy --dump-section .debug_info=/tmp/test_ctf_damaged.info",
	    "two_dwarf5", file);
	read_all("/tmp/test_ctf_damaged.info", &info);
	memcpy(&len, info.s, sizeof(len));
	assert_true(info.len > 2 * sizeof(len) + len + sizeof(version));
	memcpy(info.s + 2 * sizeof(len) + len, &version, sizeof(version));
	f = fopen("/tmp/test_ctf_damaged.info", "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(info.s, 1, info.len, f), info.len);
	fclose(f);
	strbuf_fini(&info);
	assert_int_equal(
	    system("cd /tmp && objcopy --update-section "
		   ".debug_info=test_ctf_damaged.info test_ctf_damaged"),
	    0);
	unlink("/tmp/test_ctf_damaged.info");
	return mem_strdup(file);
}

/* A name that is not found may be in a unit that cannot be read. */
static void
damaged_unit_is_told(void **state)
{
	const char *why = "/tmp/test_ctf_damaged: its DWARF is damaged: ";
	struct ctf_build_opts opts = { .format = CTF_FMT_V3 };
	struct strbuf out = { 0 }, notes = { 0 };
	struct err err = { 0 };
	struct source s;

	(void)state;
	open_source(&s, damaged_dwarf());
	s.is_temporary = true;
	assert_non_null(s.im->ops->type(s.im, CTF_SP_STRUCT, "node"));
	assert_null(s.im->problem);
	assert_null(s.im->ops->type(s.im, CTF_SP_STRUCT, "nosuch"));
	assert_non_null(s.im->problem);
	assert_memory_equal(s.im->problem, why, strlen(why));
	assert_int_not_equal(ctf_convert(s.path, &opts, &out, &notes, &err), 0);
	assert_string_equal(err_text(&err), s.im->problem);
	err_clear(&err);
	strbuf_fini(&out);
	strbuf_fini(&notes);
	close_source(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_in_dwarf),
		cmocka_unit_test(same_in_gnu_ctf),
		cmocka_unit_test(same_in_linked_ctf),
		cmocka_unit_test(same_when_converted),
		cmocka_unit_test(texts_are_right),
		cmocka_unit_test(bitfields_in_version_2),
		cmocka_unit_test(order_of_dimensions),
		cmocka_unit_test(contradictions),
		cmocka_unit_test(declaration_finds_its_body),
		cmocka_unit_test(archive_of_ld),
		cmocka_unit_test(every_made_type),
		cmocka_unit_test(other_machines_are_refused),
		cmocka_unit_test(small_programs_are_refused),
		cmocka_unit_test(circles),
		cmocka_unit_test(long_chain),
		cmocka_unit_test(file_keeps_its_contents),
		cmocka_unit_test(malformed_elf_is_refused),
		cmocka_unit_test(split_debug_file),
		cmocka_unit_test(missing_supplement_is_told),
		cmocka_unit_test(damaged_unit_is_told),
		cmocka_unit_test(problems_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
