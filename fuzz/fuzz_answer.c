/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers of the child that reads hostile files.  An accepted answer can be
 * queried, and points can be planned with it.  The file of the answer is
 * imitated: a page, and then one function again and again.  Input that begins
 * with "USDT" is an answer about probes.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/vec.h"
#include "inproc/inproc.h"
#include "inproc/module.h"
#include "inproc/module_read.h"
#include "usdt/read.h"
#include "x86/insn.h"

#define PAGE 4096
#define FILE_LEN (16 * PAGE)
#define BIAS 0x10000000000
#define FAR 0x7f0000000000
#define MAX_POINTS 512

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* push %rbp; mov %rsp,%rbp; lea; call; cmp; je; add; mov; pop; ret; syscall */
static const uint8_t func[64] = "\x55\x48\x89\xe5\x48\x8d\x05\x2d\0\0\0\xe8"
				"\x28\0\0\0\x48\x83\xf8\x07\x74\x04\x48\x83"
				"\xc0\x01\x48\x8b\x45\xf8\x5d\xc3\x0f\x05";

static int
file_open(void)
{
	int fd = memfd_create("file", MFD_CLOEXEC);
	static uint8_t bytes[FILE_LEN];

	for (size_t at = PAGE; at < FILE_LEN; at += sizeof(func))
		memcpy(bytes + at, func, sizeof(func));
	if (fd < 0 || write(fd, bytes, FILE_LEN) != FILE_LEN)
		abort();
	return fd;
}

struct points {
	VEC(struct inproc_point) v;
};

static void
add_points(
    const struct inproc_module *m, const struct elf_sym *sym, struct points *ps)
{
	struct inproc_point p = { .func = sym->value,
		.size = sym->size,
		.body = {
		    .emit = inproc_emit_call, .addr = FAR, .changes = 0xfff } };
	uint64_t func_at, len;

	for (size_t i = 0; i < 16 && ps->v.n < MAX_POINTS; i++) {
		p.vaddr = sym->value + i;
		if (inproc_function_at(m, p.vaddr, &func_at, &len))
			assert(func_at <= p.vaddr && p.vaddr - func_at < len);
		VEC_PUSH(&ps->v, p);
	}
}

static void
plan(struct inproc_module *m, const struct elf_syms *es)
{
	struct inproc_syscalls calls = { 0 };
	struct points ps = { 0 };
	struct inproc_space space;
	struct inproc_plan plan;

	for (size_t i = 0; i < elf_syms_count(es); i++)
		add_points(m, elf_syms_get(es, i), &ps);
	inproc_find_syscalls(m, &calls);
	VEC_FREE(&calls.v);
	inproc_space_init(&space);
	inproc_plan(m, BIAS, ps.v.v, ps.v.n, &space, &plan);
	inproc_plan_fini(&plan);
	inproc_space_fini(&space);
	VEC_FREE(&ps.v);
}

static void
ask(struct elf_syms *es)
{
	for (size_t i = 0; i < elf_syms_count(es); i++) {
		const struct elf_sym *sym = elf_syms_get(es, i);
		uint64_t off;

		elf_syms_by_name(es, elf_sym_name(es, sym));
		elf_syms_by_addr(es, sym->value + sym->size);
		elf_syms_next_code(es, sym->value);
		elf_syms_offset(es, sym->value, &off);
	}
	for (size_t i = 1; i < elf_syms_nsects(es); i++)
		assert(strlen(elf_syms_sect(es, i)->name) < UINT32_MAX);
}

/* Copy the answer's pages to memory that the module takes. */
static void *
pages_of(const uint8_t *data, size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		abort();
	memcpy(p, data, size);
	mprotect(p, size, PROT_READ);
	return p;
}

static void
take_probes(const uint8_t *data, size_t size)
{
	struct confine_in in = { data, size, false };
	struct usdt_notes notes = { 0 };
	struct usdt_types types = { 0 };

	usdt_take(&in, &notes, &types);
	VEC_FOREACH(&notes.v, n)
		assert(n->provider != NULL && n->name != NULL);
	VEC_FOREACH(&types.providers, u) {
		VEC_FOREACH(&u->probes, p)
			usdt_types_probe(u, p->name);
	}
	usdt_notes_fini(&notes);
	usdt_types_fini(&types);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct inproc_module *m;
	struct elf_syms *es;
	struct err err = { 0 };
	static int fd = -1;

	if (size > 4 && memcmp(data, "USDT", 4) == 0) {
		take_probes(data + 4, size - 4);
		return 0;
	}
	if (fd < 0)
		fd = file_open();
	if (size == 0 || x86_init(&err) != 0) {
		err_clear(&err);
		return 0;
	}
	if (inproc_module_take(fd, pages_of(data, size), size, &es, &m, &err) !=
	    0) {
		assert(err.text != NULL);
		err_clear(&err);
		return 0;
	}
	ask(es);
	plan(m, es);
	inproc_module_close(m);
	elf_syms_rele(es);
	return 0;
}
