/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Build tool: libindex FILE.d ... writes the table of the names that the D
 * libraries define, and the outline of each, as C, to standard output.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "libdtrace/libprobes.h"
#include "libdtrace/libscan.h"

struct libindex_names {
	VEC(struct dt_libname) list;
	uint32_t file;
};

/* The libraries that one library uses; each is reported once. */
struct uses {
	const struct dt_libindex *index;
	bool *is_told;
	struct strbuf *out;
};

static int
add_name(const char *name, size_t len, enum dt_def def, void *arg)
{
	struct libindex_names *names = arg;
	struct dt_libname ln = { mem_strndup(name, len), names->file, def };

	VEC_PUSH(&names->list, ln);
	return 0;
}

static int
read_file(const char *path, struct strbuf *sb)
{
	FILE *f = fopen(path, "r");
	char buf[4096];
	size_t n;
	int rc;

	if (f == NULL) {
		perror(path);
		return -1;
	}
	strbuf_adds(sb, "");
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0)
		strbuf_add(sb, buf, n);
	if (ferror(f))
		perror(path);
	rc = ferror(f) ? -1 : 0;
	fclose(f);
	return rc;
}

static int
add_use(const char *word, size_t len, void *arg)
{
	struct uses *u = arg;
	size_t slot = 0;
	int64_t file;

	while ((file = dt_libindex_next(u->index, word, len, &slot)) >= 0) {
		if (!u->is_told[file])
			strbuf_printf(
			    u->out, "%c %u\n", DT_OUTLINE_USES, (unsigned)file);
		u->is_told[file] = true;
	}
	return 0;
}

static void
print_outline(
    const struct dt_libindex *index, uint32_t file, const struct strbuf *text)
{
	struct strbuf out = { 0 }, quoted = { 0 };
	struct uses u = { .index = index,
		.out = &out,
		.is_told = mem_alloc(index->nfiles * sizeof(bool)) };

	u.is_told[file] = true;
	dt_scan_words(text->s, text->len, add_use, &u);
	if (dt_outline_scan(text->s, text->len, &out) == 0) {
		strbuf_add_quoted(
		    &quoted, out.s != NULL ? out.s : "", out.len, out.len);
		printf("\t[%u] = %s,\n", file, quoted.s);
	}
	free(u.is_told);
	strbuf_fini(&out);
	strbuf_fini(&quoted);
}

static void
print_index(const struct dt_libindex *index, char *const *paths)
{
	printf("#include \"libdtrace/libscan.h\"\n\n"
	       "static const char *const dlib_files[] = {\n");
	for (; *paths != NULL; paths++)
		printf("\t\"%s\",\n",
		    strrchr(*paths, '/') != NULL ? strrchr(*paths, '/') + 1 :
						   *paths);
	printf("};\nstatic const struct dt_libname dlib_slots[%zu] = {\n",
	    index->nslots);
	for (size_t i = 0; i < index->nslots; i++) {
		if (index->slots[i].name != NULL)
			printf("\t[%zu] = { \"%s\", %u, %d },\n", i,
			    index->slots[i].name, index->slots[i].file,
			    (int)index->slots[i].def);
	}
	printf("};\n");
}

int
main(int argc, char *argv[])
{
	uint32_t nfiles = (uint32_t)argc - 1;
	struct strbuf *texts = mem_alloc((nfiles + 1) * sizeof(*texts));
	struct dt_libindex index = { .nfiles = nfiles };
	struct libindex_names names = { 0 };

	for (uint32_t i = 0; i < nfiles; i++) {
		names.file = i;
		if (read_file(argv[i + 1], &texts[i]) != 0)
			return 1;
		dt_scan_names(texts[i].s, texts[i].len, add_name, &names);
	}
	dt_libindex_build(&index, names.list.v, names.list.n);
	print_index(&index, argv + 1);
	printf("static const char *const dlib_outlines[%u] = {\n", nfiles);
	for (uint32_t i = 0; i < nfiles; i++)
		print_outline(&index, i, &texts[i]);
	printf("};\n");
	/* builds with a leak checker run this tool, too */
	for (uint32_t i = 0; i < nfiles; i++)
		strbuf_fini(&texts[i]);
	free(texts);
	VEC_FOREACH(&names.list, ln)
		free((void *)(uintptr_t)ln->name);
	VEC_FREE(&names.list);
	free((void *)(uintptr_t)index.slots);
	return 0;
}
