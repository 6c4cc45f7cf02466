/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code of a JIT compiler: /tmp/perf-PID.map of the process's mount namespace
 * (tools/perf/Documentation/jit-interface.txt of the kernel), to which the
 * compiler appends "START SIZE name" for each function.  Memory is reused:
 * where two entries overlap, the later one is right.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/procstatus.h"
#include "base/regular.h"
#include "base/str.h"
#include "base/vec.h"
#include "sym/sym_impl.h"
#include "sym/usyms_impl.h"

#define FILE_MAX ((off_t)256 << 20)
/* A map that has grown is not read again before this. */
#define READ_AGAIN_NS 500000000

struct jitted {
	uint64_t start, end;
	size_t line;
	uint32_t name;
};

struct jit_list {
	VEC(struct jitted) v;
};

static bool
parse_line(const char *text, char *line, size_t no, struct jitted *j)
{
	unsigned long long start, size;
	int n = 0;

	if (sscanf(line, "%llx %llx %n", &start, &size, &n) != 2 || n == 0 ||
	    line[n] == '\0' || size == 0 || start + size < start)
		return false;
	*j = (struct jitted){ .start = start,
		.end = start + size,
		.line = no,
		.name = (uint32_t)(line + n - text) };
	return true;
}

static int
jitted_cmp(const void *a, const void *b)
{
	const struct jitted *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* Drop entries that later ones overlap. */
static void
drop_stale(struct jit_list *list)
{
	struct jitted *v = list->v.v;
	size_t n = 0;

	if (list->v.n == 0)
		return;
	qsort(v, list->v.n, sizeof(*v), jitted_cmp);
	for (size_t i = 0; i < list->v.n; i++) {
		while (n > 0 && v[n - 1].end > v[i].start &&
		    v[n - 1].line < v[i].line)
			n--;
		if (n == 0 || v[n - 1].end <= v[i].start)
			v[n++] = v[i];
	}
	list->v.n = n;
}

static void
parse_lines(struct jit_list *list, char *text)
{
	size_t no = 0;
	char *next;

	for (char *line = text; line != NULL; line = next) {
		struct jitted j;

		next = strchr(line, '\n');
		if (next != NULL)
			*next++ = '\0';
		if (parse_line(text, line, no++, &j))
			VEC_PUSH(&list->v, j);
	}
}

struct elf_syms *
perf_map_parse(struct strbuf *text)
{
	struct elf_syms *es = elf_syms_create();
	struct jit_list list = { 0 };

	strbuf_addc(text, '\0');
	parse_lines(&list, text->s);
	drop_stale(&list);
	VEC_FOREACH(&list.v, j) {
		uint64_t size = j->end - j->start;

		VEC_PUSH(&es->syms,
		    (struct elf_sym){ .value = j->start,
			.size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size,
			.name = j->name,
			.kind = ELF_SYM_FUNC });
	}
	VEC_FREE(&list.v);
	sym_clean_text(text->s, text->len);
	strbuf_fini(&es->names);
	es->names = *text;
	memset(text, 0, sizeof(*text));
	elf_syms_sort(es);
	return es;
}

/* ---- the file of a process ----------------------------------------------- */

/* The process's own id: the last one, of its innermost pid namespace. */
static pid_t
own_pid(pid_t pid)
{
	char text[256], *last;

	if (!proc_status(pid, "NSpid", text, sizeof(text)))
		return pid;
	last = strrchr(text, '\t');
	return (pid_t)strtol(last != NULL ? last + 1 : text, NULL, 10);
}

/*
 * A process that has ended left its map in place; we find it if that was in our
 * mount namespace.
 */
static int
open_map(pid_t pid)
{
	char *path = mem_printf(
	    "/proc/%d/root/tmp/perf-%d.map", (int)pid, (int)own_pid(pid));
	int fd = regular_open(path);

	free(path);
	if (fd >= 0)
		return fd;
	path = mem_printf("/tmp/perf-%d.map", (int)pid);
	fd = regular_open(path);
	free(path);
	return fd;
}

static void
read_map(struct uproc *p, int fd, size_t size)
{
	struct strbuf text = { 0 };
	ssize_t n = pread(fd, strbuf_room(&text, size), size, 0);

	text.len = n > 0 ? (size_t)n : 0;
	elf_syms_rele(p->jit);
	p->jit = perf_map_parse(&text);
}

struct elf_syms *
uproc_jit(struct uproc *p)
{
	uint64_t now = now_ns();
	struct stat st;
	int fd;

	if (p->jit_ns != 0 && now - p->jit_ns < READ_AGAIN_NS)
		return p->jit;
	p->jit_ns = now;
	fd = open_map(p->pid);
	if (fd < 0)
		return p->jit;
	if (fstat(fd, &st) == 0 && st.st_size <= FILE_MAX &&
	    (uint64_t)st.st_size != p->jit_size) {
		p->jit_size = (uint64_t)st.st_size;
		read_map(p, fd, (size_t)st.st_size);
		p->gen++;
	}
	close(fd);
	return p->jit;
}
