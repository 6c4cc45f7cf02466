/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Jumps into any program: an ELF file, or else instructions that are moved.
 *
 * Moved instructions are valid instructions, no longer than promised.  The
 * writes of a plan lie within the code, do not overlap, and state correctly the
 * bytes there before; its trampolines overlap no mapping.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "inproc/inproc.h"
#include "inproc/module.h"
#include "inproc/reloc.h"
#include "sym/elf_syms.h"

#define FROM 0x400000
#define NEAR 0x10000000
#define FAR 0x7f0000000000
#define BIAS 0x10000000000
#define MAX_POINTS 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_moved(const struct x86_code *code, size_t off, uint64_t to)
{
	struct strbuf out = { 0 };
	struct x86_insn insn, moved;
	struct x86_code result;

	if (reloc_insn(code, off, FROM, to, &out) != NULL) {
		assert(out.len == 0);
		return;
	}
	assert(out.len <= RELOC_MAX && x86_decode(code, off, &insn));
	result = (struct x86_code){ (const uint8_t *)out.s, out.len, false };
	assert(insn.kind == X86_NOP || x86_decode(&result, 0, &moved));
	strbuf_fini(&out);
}

static void
check_code(const uint8_t *data, size_t size)
{
	const struct x86_code code = { data, size, false };

	for (size_t off = 0; off < size; off++) {
		check_moved(&code, off, NEAR);
		check_moved(&code, off, FAR);
	}
}

/* ---- whole files -------------------------------------------------------- */

struct points {
	VEC(struct inproc_point) v;
};

static void
add_points(
    const struct inproc_module *m, const struct elf_sym *sym, struct points *ps)
{
	const struct ip_text *t = ip_text_at(m, sym->value);
	struct inproc_point p = { .func = sym->value,
		.size = sym->size,
		.body = { .emit = inproc_emit_call,
		    .addr = FAR,
		    .changes = 0xfff,
		    .wants = 1 << 4 } };

	for (size_t i = 0; t != NULL && i < sym->size && i < 256; i++) {
		if (ps->v.n >= MAX_POINTS)
			return;
		p.vaddr = sym->value + i;
		VEC_PUSH(&ps->v, p);
	}
}

static void
check_writes(const struct inproc_module *m, const struct inproc_plan *plan)
{
	uint64_t end = 0;

	VEC_FOREACH(&plan->writes, w) {
		const struct ip_text *t = ip_text_at(m, w->at - BIAS);

		assert(w->at >= end && w->len > 0 && t != NULL);
		assert(w->len <= t->len - (w->at - BIAS - t->vaddr));
		assert(memcmp(w->old, t->bytes + (w->at - BIAS - t->vaddr),
			   w->len) == 0);
		end = w->at + w->len;
	}
}

static void
check_texts(const struct inproc_space *space, const struct inproc_plan *plan)
{
	VEC_FOREACH(&plan->texts, x) {
		bool is_within = false;

		assert(x->off <= plan->code.len &&
		    x->len <= plan->code.len - x->off);
		VEC_FOREACH(&space->areas, a)
			is_within |= a->lo <= x->at && x->at + x->len <= a->hi;
		assert(is_within);
	}
}

static void
check_module(struct inproc_module *m, const struct elf_syms *es)
{
	struct points ps = { 0 };
	struct inproc_space space;
	struct inproc_plan plan;

	for (size_t i = 0; i < elf_syms_count(es); i++)
		add_points(m, elf_syms_get(es, i), &ps);
	inproc_space_init(&space);
	inproc_space_busy(&space, BIAS, BIAS + 0x1000000);
	inproc_plan(m, BIAS, ps.v.v, ps.v.n, &space, &plan);
	assert(plan.fates.n == ps.v.n);
	check_writes(m, &plan);
	check_texts(&space, &plan);
	inproc_plan_fini(&plan);
	inproc_space_fini(&space);
	VEC_FREE(&ps.v);
}

static void
check_file(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct elf_syms *es = NULL;
	struct inproc_module *m = NULL;
	struct err err = { 0 };

	if (fd >= 0 && write(fd, data, size) == (ssize_t)size)
		es = elf_syms_open(fd, NULL, "", &err);
	if (es != NULL)
		m = inproc_module_open(fd, es, &err);
	assert(fd < 0 || (m == NULL) == (err.text != NULL));
	if (m != NULL) {
		check_module(m, es);
		inproc_module_close(m);
	}
	if (es != NULL)
		elf_syms_rele(es);
	err_clear(&err);
	close(fd);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { 0 };

	if (x86_init(&err) != 0)
		return 0;
	if (size >= 4 && memcmp(data, "\177ELF", 4) == 0)
		check_file(data, size);
	else
		check_code(data, size);
	return 0;
}
