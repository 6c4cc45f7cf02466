/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The places of trampolines, and the facts about a file's code that return
 * from the child that reads it.
 */
#include "inproc/inproc.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "unit.h"

#include "base/confine.h"
#include "base/vec.h"
#include "inproc/module.h"
#include "inproc/module_read.h"
#include "sym/elf_syms.h"
#include "x86/insn.h"

#define PAGE 4096

/* ---- room --------------------------------------------------------------- */

static bool
overlaps(const struct inproc_span *s, uint64_t lo, uint64_t hi)
{
	return s->lo < hi && lo < s->hi;
}

/* All taken room is in areas of whole pages, overlaps no mapping, and is taken
 * once. */
static void
space_is_sound(void **state)
{
	VEC(struct inproc_span) taken = { 0 };
	struct inproc_space s;

	(void)state;
	inproc_space_init(&s);
	inproc_space_busy(&s, 0x400000, 0x600000);
	inproc_space_busy(&s, 0x100000, 0x300000);
	inproc_space_busy(&s, 0x300000, 0x310000);
	srand(1);
	for (int i = 0; i < 3000; i++) {
		uint64_t lo = 0x80000 + (uint64_t)rand() % 0x4000000;
		uint64_t hi = lo + (i % 3 == 0 ? 1 : 1u << rand() % 24);
		size_t len = 1 + (size_t)rand() % 300;
		uint64_t at = inproc_space_take(&s, lo, hi, len);

		if (at == 0)
			continue;
		assert_true(at >= lo && at < hi);
		VEC_FOREACH(&taken, t)
			assert_false(overlaps(t, at, at + len));
		VEC_PUSH(&taken, (struct inproc_span){ at, at + len });
	}
	assert_true(taken.n > 2000);
	VEC_FOREACH(&s.areas, a) {
		assert_int_equal(a->lo % PAGE, 0);
		assert_int_equal(a->hi % PAGE, 0);
		VEC_FOREACH(&s.busy, b)
			assert_false(overlaps(b, a->lo, a->hi));
		VEC_FOREACH(&s.areas, b)
			assert_true(a == b || !overlaps(b, a->lo, a->hi));
	}
	VEC_FOREACH(&taken, t) {
		bool is_within = false;

		VEC_FOREACH(&s.areas, a)
			is_within |= a->lo <= t->lo && t->hi <= a->hi;
		assert_true(is_within);
	}
	VEC_FREE(&taken);
	inproc_space_fini(&s);
}

/* One address of one page, and the ends of a gap between mappings. */
static void
space_exact(void **state)
{
	struct inproc_space s;

	(void)state;
	inproc_space_init(&s);
	inproc_space_busy(&s, 0x100000, 0x200000);
	inproc_space_busy(&s, 0x202000, 0x300000);
	assert_int_equal(inproc_space_take(&s, 0x1ff000, 0x200000, 8), 0);
	assert_int_equal(
	    inproc_space_take(&s, 0x200ff8, 0x200ff9, 16), 0x200ff8);
	assert_int_equal(inproc_space_take(&s, 0x200ff9, 0x200ffa, 8), 0);
	assert_int_equal(inproc_space_take(&s, 0x201ff9, 0x201ffa, 8), 0);
	/* a jump of a program at 4 MB can lead below 0, to the last page */
	assert_int_equal(inproc_space_take(&s, -0x84bULL, -0x84aULL, 20), 0);
	assert_int_equal(
	    inproc_space_take(&s, -0x100000ULL, -0x1000ULL, 20), 0);
	assert_int_equal(
	    inproc_space_take(&s, 0x201ff8, 0x201ff9, 8), 0x201ff8);
	assert_int_equal(inproc_space_take(&s, 0x202000, 0x202001, 1), 0);
	assert_int_equal(s.areas.n, 1);
	s.max_areas = 1;
	assert_int_equal(inproc_space_take(&s, 0x400000, 0x400001, 8), 0);
	inproc_space_fini(&s);
}

/* After narrow spans have taken many pages, there is still room for wide spans.
 * Spans of 16 MB, which jumps that share a byte reach, do not take a large area
 * each. */
static void
space_shared(void **state)
{
	struct inproc_space s;
	uint64_t size = 0;

	(void)state;
	inproc_space_init(&s);
	for (uint64_t i = 0; i < 10000; i++) {
		uint64_t lo = 0x100000000 + i % 128 * (1 << 24);

		inproc_space_take(&s, 0x80000000 + 3 * PAGE * i,
		    0x80000001 + 3 * PAGE * i, 8);
		assert_int_not_equal(
		    inproc_space_take(&s, lo, lo + (1 << 24), 8), 0);
		assert_int_not_equal(
		    inproc_space_take(&s, 0x200000000, 0x300000000, 8), 0);
	}
	assert_true(s.areas.n <= s.max_areas);
	VEC_FOREACH(&s.areas, a)
		size += a->hi - a->lo;
	assert_true(size < 32 << 20);
	inproc_space_fini(&s);
}

/* Next to mappings that may grow, no room is taken. */
static void
space_padded(void **state)
{
	struct inproc_space s;

	(void)state;
	inproc_space_init(&s);
	inproc_space_busy(&s, 0x300000, 0xfffffffffffe0000 + 0x8000);
	inproc_space_busy(&s, 0x8000, 0x200000);
	inproc_space_pad(&s, 0x20000);
	assert_int_equal(s.busy.v[1].lo, 0);
	assert_int_equal(s.busy.v[0].hi, 0xfffffffffffff000);
	assert_int_equal(inproc_space_take(&s, 0x21ffff, 0x220000, 8), 0);
	assert_int_equal(inproc_space_take(&s, 0x2dfff9, 0x2dfffa, 8), 0);
	assert_int_equal(
	    inproc_space_take(&s, 0x220000, 0x220001, 8), 0x220000);
	assert_int_equal(
	    inproc_space_take(&s, 0x2dfff8, 0x2dfff9, 8), 0x2dfff8);
	inproc_space_fini(&s);

	/* padded spans overlap */
	inproc_space_init(&s);
	inproc_space_busy(&s, 0x100000, 0x200000);
	inproc_space_busy(&s, 0x202000, 0x300000);
	inproc_space_pad(&s, 0x10000);
	assert_int_equal(inproc_space_take(&s, 0x200ff8, 0x200ff9, 8), 0);
	assert_int_equal(
	    inproc_space_take(&s, 0x200000, 0x400000, 8), 0x310000);
	inproc_space_fini(&s);
}

/* A child takes no room that is left in its parent's areas: neither in the area
 * that is being filled, nor between taken parts. */
static void
space_closed(void **state)
{
	struct inproc_space parent, child;
	uint64_t of_parent, of_child;

	(void)state;
	inproc_space_init(&parent);
	inproc_space_take(&parent, 0x30000ff8, 0x30000ff9, 8);
	inproc_space_take(&parent, 0x20000ff8, 0x20000ff9, 8);
	inproc_space_take(&parent, 0x100000000, 0x200000000, 64);
	inproc_space_copy(&child, &parent);
	inproc_space_close(&child);
	of_parent = inproc_space_take(&parent, 0x100000000, 0x200000000, 64);
	of_child = inproc_space_take(&child, 0x100000000, 0x200000000, 64);
	assert_int_equal(parent.areas.n, 3);
	assert_int_equal(child.areas.n, 4);
	assert_int_not_equal(of_parent, of_child);
	assert_int_equal(
	    inproc_space_take(&child, 0x20000100, 0x20000101, 8), 0);
	assert_int_equal(
	    inproc_space_take(&child, 0x30000100, 0x30000101, 8), 0);
	assert_int_equal(
	    inproc_space_take(&parent, 0x30000100, 0x30000101, 8), 0x30000100);
	inproc_space_fini(&child);
	inproc_space_fini(&parent);
}

/* ---- answers ------------------------------------------------------------ */

/* Take the child's answer about a module, as dtrace receives it. */
static int
take_told(int fd, const struct elf_syms *es, const struct inproc_module *m,
    struct inproc_module **m_told, struct err *err)
{
	struct confine_out out = { .fd = memfd_create("answer", 0) };
	struct elf_syms *es_told;
	int rc;
	void *p;

	inproc_module_put(es, m, &out);
	assert_false(out.is_bad);
	p = mmap(NULL, out.len, PROT_READ, MAP_PRIVATE, out.fd, 0);
	assert_ptr_not_equal(p, MAP_FAILED);
	close(out.fd);
	rc = inproc_module_take(fd, p, out.len, &es_told, m_told, err);
	if (rc == 0)
		elf_syms_rele(es_told);
	return rc;
}

static struct inproc_module *
told(int fd, const struct elf_syms *es, const struct inproc_module *m)
{
	struct inproc_module *m_told = NULL;
	struct err err = { 0 };

	if (take_told(fd, es, m, &m_told, &err) != 0)
		fail_msg("%s", err.text);
	return m_told;
}

static void
same_offsets(const size_t *a, size_t na, const size_t *b, size_t nb)
{
	assert_int_equal(na, nb);
	assert_true(na == 0 || memcmp(a, b, na * sizeof(*a)) == 0);
}

/* System calls that nothing leads to, so they are in doubt. */
__asm__(".text\n"
	".type doubted, @function\n"
	"doubted:\n"
	"	ret\n"
	"	syscall\n"
	"	nop\n"
	"	syscall\n"
	"	ret\n"
	".size doubted, . - doubted\n");

static struct inproc_module *
open_self(int *fd, struct elf_syms **es)
{
	struct inproc_module *m;
	struct err err = { 0 };

	*fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	assert_int_equal(x86_init(&err), 0);
	*es = elf_syms_open(*fd, "/proc/self/exe", "", &err);
	assert_non_null(*es);
	m = inproc_module_open(*fd, *es, &err);
	assert_non_null(m);
	assert_true(m->texts.v[0].doubtful_calls.n >= 2);
	return m;
}

static void
close_self(int fd, struct elf_syms *es, struct inproc_module *m)
{
	inproc_module_close(m);
	elf_syms_rele(es);
	close(fd);
}

/* The answer loses no fact about the code.  This file is not from Go, so the
 * test marks two of its functions as keeping flags. */
static void
answer_is_whole(void **state)
{
	struct inproc_module *m, *got;
	struct elf_syms *es;
	struct ip_text *t;
	int fd;

	(void)state;
	m = open_self(&fd, &es);
	t = &m->texts.v[0];
	assert_true(t->starts.n > 3);
	VEC_PUSH(&t->keepers, t->starts.v[2]);
	VEC_PUSH(&t->keepers, t->starts.v[1]);
	got = told(fd, es, m);
	assert_int_equal(got->texts.n, m->texts.n);
	for (size_t i = 0; i < m->texts.n; i++) {
		const struct ip_text *a = &m->texts.v[i], *b = &got->texts.v[i];

		same_offsets(a->bad.v, a->bad.n, b->bad.v, b->bad.n);
		same_offsets(
		    a->starts.v, a->starts.n, b->starts.v, b->starts.n);
		same_offsets(
		    a->keepers.v, a->keepers.n, b->keepers.v, b->keepers.n);
		same_offsets(a->doubtful_calls.v, a->doubtful_calls.n,
		    b->doubtful_calls.v, b->doubtful_calls.n);
		assert_memory_equal(a->marks, b->marks, a->len);
	}
	t = &got->texts.v[0];
	assert_true(ip_keeps_flags(t, t->starts.v[1]));
	assert_true(ip_keeps_flags(t, t->starts.v[2]));
	assert_false(ip_keeps_flags(t, t->starts.v[3]));
	inproc_module_close(got);
	close_self(fd, es, m);
}

/* An answer is bad if it names a place without a system call, one behind the
 * code, or the same one twice. */
static void
answer_names_calls(void **state)
{
	struct inproc_module *m, *got;
	struct elf_syms *es;
	struct err err = { 0 };
	size_t *calls, second;
	int fd;

	(void)state;
	m = open_self(&fd, &es);
	calls = m->texts.v[0].doubtful_calls.v;
	second = calls[1];
	for (int i = 0; i < 3; i++) {
		const size_t wrong[] = { second + 1, m->texts.v[0].len - 1,
			calls[0] };

		calls[1] = wrong[i];
		assert_int_equal(take_told(fd, es, m, &got, &err), -1);
		assert_non_null(strstr(err_text(&err), CONFINE_BAD));
		err_clear(&err);
	}
	calls[1] = second;
	inproc_module_close(told(fd, es, m));
	close_self(fd, es, m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(space_is_sound),
		cmocka_unit_test(space_exact),
		cmocka_unit_test(space_shared),
		cmocka_unit_test(space_padded),
		cmocka_unit_test(space_closed),
		cmocka_unit_test(answer_is_whole),
		cmocka_unit_test(answer_names_calls),
	};

	return cmocka_run_group_tests_name("inproc", tests, NULL, NULL);
}
