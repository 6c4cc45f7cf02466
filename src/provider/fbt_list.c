/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions that the kernel's function tracer lists.
 *
 * The list stays text: of its 50,000 lines a script wants few, and only those
 * become a struct fbt_func.
 */
#include "provider/fbt_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/glob.h"
#include "base/hash.h"
#include "base/lines.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

#define LIST "available_filter_functions"
#define PORTION 65536
#define NHEADS 65536 /* of chains of lines: a power of two */

static const char *
keep_module(struct fbt *f, const char *mod)
{
	if (strcmp(mod, VMLINUX) == 0)
		return VMLINUX;
	return strtab_str(&f->mods, strtab_intern(&f->mods, mod));
}

/* Several functions of a module with one name are one: the first. */
static struct fbt_func *
want_func(struct fbt *f, const char *name, const char *mod, uint32_t line)
{
	uint32_t id = strtab_intern(&f->names, name);
	struct fbt_func *fn, **at;

	if (id > f->by_name.n)
		VEC_PUSH(&f->by_name, NULL);
	for (at = &f->by_name.v[id - 1]; *at != NULL; at = &(*at)->next) {
		if (strcmp((*at)->mod, mod) == 0)
			return *at;
	}
	fn = *at = ARENA_NEW(&f->arena, struct fbt_func);
	fn->fbt = f;
	fn->name = strtab_str(&f->names, id);
	fn->mod = keep_module(f, mod);
	fn->line = line;
	VEC_PUSH(&f->funcs, fn);
	return fn;
}

struct fbt_wanted
fbt_wanted_by(const struct dif_pdesc *desc)
{
	bool is_pattern =
	    dt_field_is_empty(desc->func) || glob_is_pattern(desc->func);
	const char *func = desc->func != NULL ? desc->func : "";

	return (struct fbt_wanted){ .func = func,
		.mod = desc->mod,
		.is_pattern = is_pattern,
		.prefix = func,
		.prefix_len = strcspn(func, "*?[\\") };
}

const char *
fbt_cut_line(char *line)
{
	char *end = word_end(line), *bracket = strchr(end, '[');

	*end = '\0';
	if (bracket == NULL)
		return VMLINUX;
	bracket[strcspn(bracket, "]")] = '\0';
	return bracket + 1;
}

/* Copy a line that a search may be for.  A discarded function stays in the list
 * under a made-up name. */
static struct fbt_func *
take_line(struct fbt *f, const struct fbt_wanted *w, char *line, uint32_t no)
{
	const char *mod = fbt_cut_line(line);

	if (strncmp(line, "__ftrace_invalid", 16) == 0 ||
	    (w->is_pattern ? !dt_field_match(w->func, line) :
			     strcmp(w->func, line) != 0) ||
	    !dt_field_match(w->mod, mod))
		return NULL;
	return want_func(f, line, mod, no);
}

struct prov_fbt_finding {
	struct fbt *f;
	const struct fbt_wanted *w;
	void (*found)(struct fbt_func *fn, void *arg);
	void *arg;
	struct strbuf line;
	bool is_any;
};

static void
try_line(struct prov_fbt_finding *g, const char *at, size_t len, uint32_t no)
{
	const struct fbt_wanted *w = g->w;
	struct fbt_func *fn;

	if (len == 0 || len < w->prefix_len ||
	    memcmp(at, w->prefix, w->prefix_len) != 0)
		return;
	strbuf_reset(&g->line);
	strbuf_add(&g->line, at, len);
	fn = take_line(g->f, w, g->line.s, no);
	if (fn == NULL || fn->line != no)
		return;
	g->found(fn, g->arg);
	g->is_any = true;
}

static size_t
line_len(const struct fbt *f, size_t off)
{
	const char *at = f->list.s + off;
	const char *end = memchr(at, '\n', f->list.len - off);

	return end != NULL ? (size_t)(end - at) : f->list.len - off;
}

static void
try_all(struct prov_fbt_finding *g)
{
	const struct fbt *f = g->f;
	uint32_t no = 0;

	for (size_t off = 0, len; off < f->list.len; off += len + 1) {
		len = line_len(f, off);
		try_line(g, f->list.s + off, len, no++);
	}
}

static size_t
name_len(const char *line, size_t len)
{
	size_t n = 0;

	while (n < len && line[n] != ' ' && line[n] != '\t')
		n++;
	return n;
}

uint32_t *
fbt_chain_of(struct fbt *f, const char *name, size_t len)
{
	return &f->heads[hash_bytes(name, len) & (NHEADS - 1)];
}

void
fbt_index_list(struct fbt *f)
{
	if (f->heads != NULL)
		return;
	f->heads = mem_alloc(NHEADS * sizeof(*f->heads));
	for (size_t off = 0, len; off < f->list.len; off += len + 1) {
		len = line_len(f, off);
		VEC_PUSH(&f->lines,
		    ((struct fbt_line){ (uint32_t)off, (uint32_t)len, 0 }));
	}
	for (size_t no = f->lines.n; no-- > 0;) {
		struct fbt_line *l = &f->lines.v[no];
		const char *at = f->list.s + l->off;
		uint32_t *head = fbt_chain_of(f, at, name_len(at, l->len));

		l->next = *head;
		*head = (uint32_t)no + 1;
	}
}

static void
try_named(struct prov_fbt_finding *g)
{
	struct fbt *f = g->f;
	uint32_t i;

	fbt_index_list(f);
	i = *fbt_chain_of(f, g->w->func, strlen(g->w->func));
	while (i != 0) {
		const struct fbt_line *l = &f->lines.v[i - 1];

		try_line(g, f->list.s + l->off, l->len, i - 1);
		i = l->next;
	}
}

bool
fbt_search_list(struct fbt *f, const struct fbt_wanted *w,
    void (*found)(struct fbt_func *fn, void *arg), void *arg)
{
	struct prov_fbt_finding g = {
		.f = f, .w = w, .found = found, .arg = arg
	};

	if (w->is_pattern)
		try_all(&g);
	else
		try_named(&g);
	strbuf_fini(&g.line);
	return g.is_any;
}

char *
fbt_listed_name(struct fbt *f, uint32_t no)
{
	const struct fbt_line *l;
	const char *at;

	fbt_index_list(f);
	if (no >= f->lines.n)
		return NULL;
	l = &f->lines.v[no];
	at = f->list.s + l->off;
	return mem_strndup(at, name_len(at, l->len));
}

/* The kernel writes a page at a time, so it is asked for much at once. */
static int
read_list(struct fbt *f, int fd)
{
	ssize_t n;

	do {
		n = read(fd, strbuf_room(&f->list, PORTION), PORTION);
		f->list.len += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	return n < 0 ? -errno : 0;
}

static char *
no_list(const struct dt_registry *r, int err)
{
	bool is_denied = err == EPERM || err == EACCES;
	char *why, *text;

	if (!dt_privilege_has(DT_PRIV_KERNEL)) {
		why = dt_privilege_refusal(DT_PRIV_KERNEL, "the kernel's code");
		text = mem_printf("%s: run dtrace with sudo", why);
		free(why);
		return text;
	}
	text = dt_tracefs_refusal(err);
	if (text != NULL)
		return text;
	if (!dt_registry_can_arm(r, DT_PROBE_KFUNC_ENTRY, NULL))
		return mem_printf("this kernel has no kprobes, and its "
				  "function tracer lists no functions: %s",
		    strerror(err));
	return mem_printf("cannot read tracefs's " LIST ": %s%s", strerror(err),
	    !is_denied	       ? "" :
		geteuid() != 0 ? " (needs root)" :
				 " (the kernel is locked down)");
}

void *
fbt_create(struct dt_registry *r)
{
	struct fbt *f = mem_alloc(sizeof(*f));
	FILE *list = dt_tracefs_open(LIST);
	int rc = list == NULL ? -errno : read_list(f, fileno(list));

	f->r = r;
	arena_init(&f->arena);
	strtab_init(&f->names);
	strtab_init(&f->mods);
	if (rc != 0)
		f->why = no_list(r, -rc);
	f->error = -rc;
	if (list != NULL)
		fclose(list);
	return f;
}

void
fbt_destroy(void *arg)
{
	struct fbt *f = arg;

	strbuf_fini(&f->list);
	VEC_FREE(&f->lines);
	free(f->heads);
	VEC_FREE(&f->funcs);
	VEC_FREE(&f->by_name);
	strtab_fini(&f->names);
	strtab_fini(&f->mods);
	arena_fini(&f->arena);
	free(f->why);
	free(f);
}
