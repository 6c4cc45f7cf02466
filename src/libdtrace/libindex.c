/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Build tool: libindex FILE.d ... writes the table of the names that the D
 * libraries define, as C, to standard output.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "libdtrace/libscan.h"

struct names {
	VEC(struct dt_libname) list;
	uint32_t file;
};

static int
add_name(const char *word, size_t len, void *arg)
{
	struct names *names = arg;
	struct dt_libname ln = { mem_strndup(word, len), names->file };

	VEC_PUSH(&names->list, ln);
	return 0;
}

static int
scan_file(const char *path, struct names *names)
{
	FILE *f = fopen(path, "r");
	struct strbuf sb = { 0 };
	char buf[4096];
	size_t n;

	if (f == NULL) {
		perror(path);
		return -1;
	}
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0)
		strbuf_add(&sb, buf, n);
	fclose(f);
	if (sb.s != NULL)
		dt_scan_names(sb.s, sb.len, add_name, names);
	strbuf_fini(&sb);
	return 0;
}

static void
print_index(const struct dt_libindex *index, char *const *paths)
{
	printf("#include \"libdtrace/libscan.h\"\n\n"
	    "static const char *const dlib_files[] = {\n");
	for (; *paths != NULL; paths++)
		printf("\t\"%s\",\n", strrchr(*paths, '/') != NULL ?
		    strrchr(*paths, '/') + 1 : *paths);
	printf("};\nstatic const struct dt_libname dlib_slots[%zu] = {\n",
	    index->nslots);
	for (size_t i = 0; i < index->nslots; i++) {
		if (index->slots[i].name != NULL)
			printf("\t[%zu] = { \"%s\", %u },\n", i,
			    index->slots[i].name, index->slots[i].file);
	}
	printf("};\n");
}

int
main(int argc, char *argv[])
{
	struct names names = { 0 };
	struct dt_libindex index;

	for (int i = 1; i < argc; i++) {
		names.file = (uint32_t)i - 1;
		if (scan_file(argv[i], &names) != 0)
			return 1;
	}
	dt_libindex_build(&index, names.list.v, names.list.n);
	print_index(&index, argv + 1);
	/* a build with a leak checker runs this tool, too */
	VEC_FOREACH(&names.list, ln)
		free((void *)(uintptr_t)ln->name);
	VEC_FREE(&names.list);
	free((void *)(uintptr_t)index.slots);
	return 0;
}
