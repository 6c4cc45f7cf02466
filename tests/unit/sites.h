/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_UNIT_SITES_H
#define TESTS_UNIT_SITES_H

/*
 * Points of real files in three sets: every function's entry, every return,
 * every instruction.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "unit.h"

#include "points.h"

#include "inproc/module.h"

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
	struct err err = { 0 };
	double start;

	if (fd < 0)
		return false;
	f->es = elf_syms_open(fd, NULL, "", &err);
	assert_non_null(f->es);
	start = now_ms();
	f->m = inproc_module_open(fd, f->es, &err);
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

static void
find_points(const struct file *f, int set, struct points *ps)
{
	uint64_t end = 0;

	for (size_t i = 0; i < elf_syms_count(f->es); i++) {
		const struct elf_sym *sym = elf_syms_get(f->es, i);
		const struct ip_text *t = ip_text_at(f->m, sym->value);

		/* skip aliases and parts of a function: they are the same
		 * code */
		if (sym->size == 0 || t == NULL || sym->value < end ||
		    !elf_sym_is_code(sym) || sym->kind == ELF_SYM_PLT ||
		    sym->size > t->len - (sym->value - t->vaddr))
			continue;
		add_function(ps, t, sym, set);
		end = sym->value + sym->size;
	}
}

#endif
