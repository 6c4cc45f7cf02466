/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_UNIT_SITES_H
#define TESTS_UNIT_SITES_H

/*
 * Points of real files: every function's entry, every return, every
 * instruction.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"

#include "inproc/inproc.h"
#include "inproc/module.h"
#include "sym/elf_syms.h"
#include "x86/entry.h"

enum { ENTRIES, RETURNS, ALL, NSETS };

struct file {
	struct inproc_module *m;
	struct elf_syms *es;
	double open_ms;
};

static double
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static bool
file_open(struct file *f, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *msg = NULL;
	double start;

	if (fd < 0)
		return false;
	f->es = elf_syms_open(fd, NULL, "", &msg);
	assert_non_null(f->es);
	start = now_ms();
	f->m = inproc_module_open(fd, f->es, &msg);
	f->open_ms = now_ms() - start;
	close(fd);
	assert_non_null(f->m);
	return true;
}

static void
file_close(struct file *f)
{
	inproc_module_close(f->m);
	elf_syms_rele(f->es);
}

/* What happens at each; `id` is the point's number. */
struct points {
	struct inproc_body body;
	VEC(struct inproc_point) v;
};

static void
add_point(struct points *ps, const struct elf_sym *sym, uint64_t vaddr)
{
	struct inproc_point p = { .vaddr = vaddr,
		.func = sym->value,
		.size = sym->size,
		.body = ps->body };

	p.body.id = (uint32_t)ps->v.n;
	VEC_PUSH(&ps->v, p);
}

static enum x86_outside
outside(void *arg, int64_t off)
{
	(void)arg;
	(void)off;
	return X86_OUT_UNKNOWN;
}

static void
add_function(struct points *ps, const struct ip_text *t,
    const struct elf_sym *sym, int set)
{
	struct x86_code code = { t->bytes + (sym->value - t->vaddr), sym->size,
		false };
	struct x86_exits exits = { 0 };
	struct x86_insn insn;

	switch (set) {
	case ENTRIES:
		add_point(ps, sym, sym->value);
		break;
	case RETURNS:
		x86_find_exits(&code, outside, NULL, &exits);
		VEC_FOREACH(&exits.v, e)
			add_point(ps, sym, sym->value + e->off);
		VEC_FREE(&exits.v);
		break;
	case ALL:
		for (size_t off = 0; x86_decode(&code, off, &insn);
		     off += insn.len)
			add_point(ps, sym, sym->value + off);
		break;
	}
}

static void
find_points(const struct file *f, int set, struct points *ps)
{
	uint64_t end = 0;

	for (size_t i = 0; i < elf_syms_count(f->es); i++) {
		const struct elf_sym *sym = elf_syms_get(f->es, i);
		const struct ip_text *t = ip_text_at(f->m, sym->value);

		/* aliases and parts are the same code */
		if (sym->size == 0 || t == NULL || sym->value < end ||
		    !elf_sym_is_code(sym) || sym->kind == ELF_SYM_PLT ||
		    sym->size > t->len - (sym->value - t->vaddr))
			continue;
		add_function(ps, t, sym, set);
		end = sym->value + sym->size;
	}
}

#endif
