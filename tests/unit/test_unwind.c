/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unwind tables compared with readelf's output for the same files, and walks by
 * them compared with backtrace(3), which uses libgcc's unwinder.
 */
#include "unit.h"

#include <execinfo.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "exec/runtime/rt.h"
#include "sym/proc_maps.h"
#include "unwind/unwind.h"

/* ---- tables ------------------------------------------------------------- */

static struct unw_table
table_of(int fd)
{
	struct unw_table t = { 0 };
	struct err err = { 0 };

	if (unw_file(fd, &t, &err) != 0)
		fail_msg("%s", err.text);
	return t;
}

/* Is the rule for %rbp the one in readelf's column? */
static bool
bp_is(const char *text, uint32_t rule)
{
	uint32_t bp = UNW_RULE_BP(rule);

	if (strcmp(text, "u") == 0 || *text == '\0')
		return bp == UNW_BP_SAME;
	if (strncmp(text, "c-", 2) == 0)
		return bp == (uint32_t)atoi(text + 2) / 8;
	return bp == UNW_BP_HERE || bp == UNW_BP_LOST;
}

static bool
cfa_is(const char *text, uint32_t rule)
{
	enum unw_kind kind = (enum unw_kind)UNW_RULE_KIND(rule);
	long off = strchr(text, '+') != NULL ? atol(strchr(text, '+')) : 0;

	if (strncmp(text, "rsp+", 4) == 0)
		return kind == UNW_SP && UNW_RULE_OFF(rule) == off;
	if (strncmp(text, "rbp+", 4) == 0)
		return kind == UNW_BP && UNW_RULE_OFF(rule) == off;
	if (strcmp(text, "exp") == 0)
		return kind != UNW_SP && kind != UNW_BP && kind != UNW_REG;
	return (kind == UNW_REG && UNW_RULE_REGOFF(rule) == off) ||
	    off % 8 != 0;
}

/* "  LOC   CFA   rbx   rbp   ra": which column is %rbp's; 0: none. */
static int
bp_column(char *line)
{
	int i = 0;

	for (char *s = strtok(line, " \n"); s != NULL;
	     s = strtok(NULL, " \n"), i++) {
		if (strcmp(s, "rbp") == 0)
			return i;
	}
	return 0;
}

struct check {
	const struct unw_table *t;
	struct elf_syms *es;
	int bp;
	unsigned long nrows, nexpr;
};

/* Check a row such as "0000000000026000 rsp+16   u   c-8". */
static void
check_row(struct check *c, char *line)
{
	char *cols[24] = { 0 }, empty[1] = "";
	uint64_t vaddr, off;
	uint32_t rule;
	int n = 0;

	for (char *s = strtok(line, " \n"); s != NULL && n < 24;
	     s = strtok(NULL, " \n")) {
		if (*s != '(') /* the second part of "r10 (r10)" */
			cols[n++] = s;
	}
	vaddr = strtoull(cols[0], NULL, 16);
	assert_true(n >= 2 && elf_syms_offset(c->es, vaddr, &off));
	rule = unw_table_rule(c->t, off);
	c->nrows++;
	c->nexpr += strcmp(cols[1], "exp") == 0;
	if (strcmp(cols[n - 1], "c-8") != 0) { /* longjmp() has it elsewhere */
		assert_int_equal(UNW_RULE_KIND(rule),
		    strcmp(cols[n - 1], "u") == 0	? UNW_END :
			strcmp(cols[n - 1], "exp") == 0 ? UNW_SIGNAL :
							  UNW_NONE);
		return;
	}
	if (!cfa_is(cols[1], rule))
		fail_msg("0x%llx: CFA %s is rule 0x%x",
		    (unsigned long long)vaddr, cols[1], rule);
	if (UNW_RULE_KIND(rule) != UNW_NONE &&
	    !bp_is(c->bp != 0 ? cols[c->bp] : empty, rule))
		fail_msg("0x%llx: rbp %s is rule 0x%x",
		    (unsigned long long)vaddr, cols[c->bp], rule);
}

static void
check_file(const char *path, unsigned long least)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct err err = { 0 };
	char *cmd, line[512];
	struct unw_table t;
	struct check c = { .t = &t };
	bool in_fde = false;
	FILE *f;

	assert_true(fd >= 0);
	t = table_of(fd);
	c.es = elf_syms_open(fd, NULL, "", &err);
	assert_non_null(c.es);
	cmd = mem_printf("readelf --wide --debug-dump=frames-interp %s "
			 "2>/dev/null",
	    path);
	f = popen(cmd, "re");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f) != NULL) {
		if (strstr(line, " FDE ") != NULL)
			in_fde = true;
		else if (strstr(line, " CIE ") != NULL)
			in_fde = false;
		else if (strstr(line, "LOC ") != NULL)
			c.bp = bp_column(line);
		else if (in_fde && strspn(line, "0123456789abcdef") == 16)
			check_row(&c, line);
	}
	pclose(f);
	assert_true(c.nrows >= least);
	/* some dozen expressions at most are not understood */
	assert_true(c.nexpr < c.nrows / 10);
	free(cmd);
	elf_syms_rele(c.es);
	unw_table_fini(&t);
	close(fd);
}

static void
test_libc(void **state)
{
	(void)state;
	check_file("/lib/x86_64-linux-gnu/libc.so.6", 20000);
}

static void
test_bash(void **state)
{
	(void)state;
	check_file("/bin/bash", 10000);
}

static void
test_loader(void **state)
{
	(void)state;
	check_file("/lib64/ld-linux-x86-64.so.2", 1000);
}

/* A static program has no PT_GNU_EH_FRAME. */
static void
test_static(void **state)
{
	char *path = mem_printf("%s/chain", getenv("PROGS"));

	(void)state;
	check_file(path, 8);
	free(path);
}

/* ---- entries by hand ---------------------------------------------------- */

/* CIE "zR": code 1, data -8, RA 16, pcrel|sdata4; CFA rsp+8, RA at c-8 */
#define CIE                                                                    \
	0x14, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, \
	    7, 8, 0x90, 1, 0, 0
/* FDE at section offset 24: begin 0x10000, 0x40 bytes, instructions */
#define FDE(len, ...)                                                          \
	(len) + 13, 0, 0, 0, 28, 0, 0, 0, 0xe0, 0xef, 0, 0, 0x40, 0, 0, 0, 0,  \
	    __VA_ARGS__

static const struct unw_seg code = { 0x10000, 0x1000, 0x400 };

static struct unw_table
parse(const uint8_t *data, size_t len)
{
	struct unw_table t = { 0 };
	struct err err = { 0 };

	if (unw_eh_frame(data, len, 0x1000, &code, 1, &t, &err) != 0)
		fail_msg("%s", err.text);
	return t;
}

static void
check_rules(
    const uint8_t *data, size_t len, const struct unw_row *want, size_t n)
{
	struct unw_table t = parse(data, len);

	assert_int_equal(t.rows.n, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(t.rows.v[i].off, want[i].off);
		assert_int_equal(t.rows.v[i].rule, want[i].rule);
	}
	unw_table_fini(&t);
}

#define CHECK_RULES(data, want)                                                \
	check_rules(data, sizeof(data), want, sizeof(want) / sizeof((want)[0]))

static void
test_push_rbp(void **state)
{
	/* push %rbp; mov %rsp,%rbp; ... leave; then as at the start */
	static const uint8_t data[] = { CIE,
		FDE(14, 0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x70, 0x0a,
		    0x0c, 7, 8, 0xc6) };
	static const struct unw_row want[] = {
		{ 0x400, UNW_RULE(UNW_SP, 1, 0) },
		{ 0x401, UNW_RULE(UNW_SP, 2, 2) },
		{ 0x404, UNW_RULE(UNW_BP, 2, 2) },
		{ 0x434, UNW_RULE(UNW_SP, 1, 0) },
		{ 0x440, 0 },
	};

	(void)state;
	CHECK_RULES(data, want);
}

static void
test_remember(void **state)
{
	static const uint8_t data[] = { CIE,
		FDE(11, 0x41, 0x0e, 16, 0x42, 0x0a, 0x0e, 24, 0x43, 0x0b, 0x2e,
		    0) };
	static const struct unw_row want[] = {
		{ 0x400, UNW_RULE(UNW_SP, 1, 0) },
		{ 0x401, UNW_RULE(UNW_SP, 2, 0) },
		{ 0x403, UNW_RULE(UNW_SP, 3, 0) },
		{ 0x406, UNW_RULE(UNW_SP, 2, 0) },
		{ 0x440, 0 },
	};

	(void)state;
	CHECK_RULES(data, want);
}

/* A stack that was realigned: the CFA by r10, then from memory. */
static void
test_realigned(void **state)
{
	static const uint8_t data[] = { CIE,
		FDE(20, 0x45, 0x0c, 10, 0, 0x49, 0x10, 6, 2, 0x76, 0, 0x46,
		    0x0f, 3, 0x76, 0x70, 6, 0, 0, 0, 0) };
	static const struct unw_row want[] = {
		{ 0x400, UNW_RULE(UNW_SP, 1, 0) },
		{ 0x405, UNW_RULE(UNW_REG, 10, 0) },
		{ 0x40e, UNW_RULE(UNW_REG, 10, UNW_BP_HERE) },
		{ 0x414, UNW_RULE(UNW_BP_LOAD, -2, UNW_BP_HERE) },
		{ 0x440, 0 },
	};

	(void)state;
	CHECK_RULES(data, want);
}

static void
test_outermost(void **state)
{
	static const uint8_t data[] = { CIE, FDE(3, 7, 16, 0) };
	static const struct unw_row want[] = {
		{ 0x400, UNW_RULE(UNW_END, 0, 0) },
		{ 0x440, 0 },
	};

	(void)state;
	CHECK_RULES(data, want);
}

/* After an unknown instruction no rule is known. */
static void
test_unknown_instruction(void **state)
{
	static const uint8_t data[] = { CIE,
		FDE(6, 0x41, 0x0e, 16, 0x41, 0x3f, 0) };
	static const struct unw_row want[] = {
		{ 0x400, UNW_RULE(UNW_SP, 1, 0) },
		{ 0x401, UNW_RULE(UNW_SP, 2, 0) },
		{ 0x402, 0 },
	};

	(void)state;
	CHECK_RULES(data, want);
}

static void
test_cut_off(void **state)
{
	static const uint8_t data[] = { CIE, FDE(6, 0x41, 0x0e, 16, 0, 0, 0) };
	struct unw_table t = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_not_equal(
	    unw_eh_frame(data, sizeof(data) - 1, 0x1000, &code, 1, &t, &err),
	    0);
	assert_non_null(strstr(err.text, "entry at offset 0x18 is too long"));
	err_clear(&err);
	unw_table_fini(&t);
}

/* An .eh_frame at 0x1000 whose functions have exception tables at 0x2000: a
 * usual one, none, a truncated one, and one outside of the tables. */
/* clang-format off */
#define LSDA_FDE(cie, begin, lsda)                                             \
	20, 0, 0, 0, (cie), 0, 0, 0, (begin) & 0xff, (begin) >> 8, 0, 0,       \
	    0x40, 0, 0, 0, 4, (lsda) & 0xff, (lsda) >> 8, 0, 0, 0, 0, 0
static const uint8_t lsda_frame[] = {
	/* 0: CIE "zLR": both pointers are relative to themselves, 4 bytes
	 * long */
	20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'L', 'R', 0, 1, 0x78, 16,
	2, 0x1b, 0x1b, 0, 0, 0, 0, 0,
	LSDA_FDE(28, 0x3000 - 0x1020, 0x2000 - 0x1029),		/* 24 */
	LSDA_FDE(52, 0x3040 - 0x1038, 0),			/* 48 */
	LSDA_FDE(76, 0x3080 - 0x1050, 0x2010 - 0x1059),		/* 72 */
	LSDA_FDE(100, 0x30c0 - 0x1068, 0x2100 - 0x1071),	/* 96 */
};
static const uint8_t lsda_tables[] = {
	/* no base, no types, LEB128, 12 bytes: start, length, pad, action */
	0xff, 0xff, 1, 12,
	4, 5, 0x20, 0,  0x10, 5, 0, 0,  0x18, 2, 0x28, 1,
	0xff, 0xff, 1, 12, 4, 5, 0x30, 0, 1,
};
/* clang-format on */

static void
test_places(void **state)
{
	static const struct unw_bytes frame = { lsda_frame, sizeof(lsda_frame),
		0x1000 };
	static const struct unw_bytes tables = { lsda_tables,
		sizeof(lsda_tables), 0x2000 };
	struct unw_places p = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(unw_places(&frame, &tables, &p, &err), 0);
	assert_int_equal(p.starts.n, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(p.starts.v[i], 0x3000 + 0x40 * i);
	assert_int_equal(p.pads.n, 2);
	assert_int_equal(p.pads.v[0], 0x3020);
	assert_int_equal(p.pads.v[1], 0x3028);
	assert_int_equal(p.unknown.n, 2);
	assert_int_equal(p.unknown.v[0].vaddr, 0x3080);
	assert_int_equal(p.unknown.v[1].vaddr, 0x30c0);
	assert_int_equal(p.unknown.v[1].size, 0x40);
	unw_places_fini(&p);
}

static void
test_no_elf(void **state)
{
	static const char *const texts[] = { "", "#!/bin/sh\n",
		"\177ELF\1\1\1aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		"a"
		"aaaaaaaaa" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct unw_table t = { 0 };
		struct err err = { 0 };

		assert_int_not_equal(
		    unw_image(texts[i], strlen(texts[i]), &t, &err), 0);
		assert_non_null(strstr(err.text, "not a"));
		err_clear(&err);
	}
}

/* ---- walks -------------------------------------------------------------- */

/* Under ASan parts of the stack must not be read, and ASan replaces libgcc's
 * backtrace(3). */
#ifdef __SANITIZE_ADDRESS__
#define NEEDS_PLAIN_STACK() skip()
#else
#define NEEDS_PLAIN_STACK() ((void)0)
#endif

#define DEPTH 40
#define NPCS 128

struct walk {
	VEC(struct rt_mapping) maps;
	VEC(struct unw_table) tables;
	uint64_t stack_end;
	void *want[NPCS];
	int nwant;
	uint64_t got[NPCS];
	uint64_t ngot;
	size_t copy; /* bytes of the stack to copy; 0: no copy */
#define ALL SIZE_MAX
	uint32_t lacks;
};

static void
add_mapping(struct walk *w, const struct proc_map *map)
{
	struct rt_mapping m = { map->start, map->end, map->off, NULL, 0 };
	struct unw_table t = { 0 };
	struct err err = { 0 };
	int fd = map->ino != 0 ? proc_map_open(getpid(), map) : -1;

	if (!map->is_exec)
		return;
	if (fd >= 0) {
		t = table_of(fd);
		close(fd);
	} else if (strcmp(map->path, "[vdso]") == 0) {
		if (unw_image((const void *)(uintptr_t)map->start,
			map->end - map->start, &t, &err) != 0)
			fail_msg("vdso: %s", err.text);
		assert_true(t.rows.n > 0);
	}
	m.rows = t.rows.v;
	m.nrows = t.rows.n;
	VEC_PUSH(&w->maps, m);
	VEC_PUSH(&w->tables, t);
}

static void
walk_init(struct walk *w)
{
	struct proc_maps pm;
	struct err err = { 0 };

	memset(w, 0, sizeof(*w));
	assert_int_equal(proc_maps_read(&pm, getpid(), &err), 0);
	VEC_FOREACH(&pm.maps, map)
		add_mapping(w, map);
	w->stack_end = proc_maps_find(&pm, (uint64_t)(uintptr_t)&pm)->end;
	proc_maps_fini(&pm);
}

static void
walk_fini(struct walk *w)
{
	VEC_FOREACH(&w->tables, t)
		unw_table_fini(t);
	VEC_FREE(&w->tables);
	VEC_FREE(&w->maps);
}

/* This process's registers as the kernel would have them: struct pt_regs. */
#define GET_REGS(regs)                                                         \
	__asm__ volatile("mov %%rbp, 32(%0)\n\t"                               \
			 "mov %%rsp, 152(%0)\n\t"                              \
			 "lea 0(%%rip), %%rcx\n\t"                             \
			 "mov %%rcx, 128(%0)"                                  \
			 :                                                     \
			 : "r"(regs)                                           \
			 : "rcx", "memory")

static void
walk_from(struct walk *w, const uint64_t *regs)
{
	const struct rt_conf conf = { .strsize = 256, .memmask = 4095 };
	const struct rt_range stack = { .addr = regs[19],
		.size = w->stack_end - regs[19] };
	const struct rt_range kernel = { .addr = (u64)(uintptr_t)regs,
		.size = 168 };
	struct rt_copy copy = { .parts[1] = { .addr = regs[19],
				    .size = w->copy == ALL ? stack.size :
							     w->copy } };
	const struct rt_host host = { .user = { &stack, 1 },
		.kernel = { &kernel, 1 },
		.mappings = w->maps.v,
		.nmappings = (u32)w->maps.n,
		.copy = w->copy != 0 ? &copy : NULL };
	struct rt_mstate *ms = mem_alloc(sizeof(*ms) + 4096 + 256);
	uint8_t *bytes = mem_alloc(copy.parts[1].size + 1);

	memcpy(bytes, (const void *)(uintptr_t)regs[19], copy.parts[1].size);
	copy.parts[1].bytes = bytes;

	ms->conf = &conf;
	ms->host = &host;
	w->ngot = rt_ustack(
	    (u64)(uintptr_t)ms, 64, NPCS, (u64)(uintptr_t)regs, RT_NONE);
	memcpy(w->got, ms->mem + 64, sizeof(w->got));
	w->lacks = copy.lacks;
	free(bytes);
	free(ms);
}

/* Run both unwinders from one frame; they only differ in the address within
 * it. */
__attribute__((noinline)) static int
look(struct walk *w)
{
	uint64_t regs[21] = { 0 };

	GET_REGS(regs);
	w->nwant = backtrace(w->want, NPCS);
	walk_from(w, regs);
	return w->nwant;
}

__attribute__((noinline)) static int
deep(struct walk *w, int n)
{
	volatile char room[64];

	room[0] = (char)n;
	room[63] = (char)(n == 0 ? look(w) : deep(w, n - 1));
	return room[0] + room[63];
}

static int
by_qsort(const void *a, const void *b)
{
	(void)b;
	deep(*(struct walk *const *)a, DEPTH);
	return 0;
}

static void
check_walk(const struct walk *w)
{
	assert_true(w->nwant > DEPTH);
	assert_int_equal(w->ngot, w->nwant);
	for (int i = 1; i < w->nwant; i++)
		assert_int_equal(w->got[i], (uint64_t)(uintptr_t)w->want[i]);
}

static void
test_walk(void **state)
{
	struct walk w;

	(void)state;
	NEEDS_PLAIN_STACK();
	walk_init(&w);
	deep(&w, DEPTH);
	check_walk(&w);
	walk_fini(&w);
}

/* A walk through libc, which has no frame pointers. */
static void
test_walk_libc(void **state)
{
	struct walk w, *two[] = { &w, &w };

	(void)state;
	NEEDS_PLAIN_STACK();
	walk_init(&w);
	qsort(two, 2, sizeof(two[0]), by_qsort);
	check_walk(&w);
	walk_fini(&w);
}

/* A walk in a copy of the stack finds the same frames, and reads only the
 * copy. */
static void
test_walk_copy(void **state)
{
	struct walk w, *two[] = { &w, &w };

	(void)state;
	NEEDS_PLAIN_STACK();
	walk_init(&w);
	w.copy = ALL;
	qsort(two, 2, sizeof(two[0]), by_qsort);
	check_walk(&w);
	assert_false(w.lacks);
	walk_fini(&w);
}

/* A walk in a short copy finds right frames, as many as the copy holds, and
 * says that it lacks more. */
static void
test_walk_short_copy(void **state)
{
	struct walk w;

	(void)state;
	NEEDS_PLAIN_STACK();
	walk_init(&w);
	for (w.copy = 1; w.copy < 1000; w.copy++) {
		deep(&w, DEPTH);
		assert_true(
		    w.lacks && w.ngot >= 1 && w.ngot < (uint64_t)w.nwant);
		for (uint64_t i = 1; i < w.ngot; i++)
			assert_int_equal(
			    w.got[i], (uint64_t)(uintptr_t)w.want[i]);
	}
	walk_fini(&w);
}

/* The stack is only data: no walk reads elsewhere, and every walk ends. */
static void
test_walk_wild(void **state)
{
	struct walk w;
	uint64_t regs[21] = { 0 };

	(void)state;
	NEEDS_PLAIN_STACK();
	walk_init(&w);
	for (unsigned i = 0; i < 2000; i++) {
		GET_REGS(regs);
		regs[16] = w.maps.v[i % w.maps.n].start +
		    (uint64_t)random() %
			(w.maps.v[i % w.maps.n].end -
			    w.maps.v[i % w.maps.n].start);
		regs[4] = regs[19] + (uint64_t)random() % 65536;
		w.copy = i % 3 * 500;
		walk_from(&w, regs);
		assert_true(w.ngot >= 1 && w.ngot <= NPCS);
	}
	walk_fini(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_libc),
		cmocka_unit_test(test_bash),
		cmocka_unit_test(test_loader),
		cmocka_unit_test(test_static),
		cmocka_unit_test(test_push_rbp),
		cmocka_unit_test(test_remember),
		cmocka_unit_test(test_realigned),
		cmocka_unit_test(test_outermost),
		cmocka_unit_test(test_unknown_instruction),
		cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_no_elf),
		cmocka_unit_test(test_walk),
		cmocka_unit_test(test_walk_libc),
		cmocka_unit_test(test_walk_copy),
		cmocka_unit_test(test_walk_short_copy),
		cmocka_unit_test(test_walk_wild),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
