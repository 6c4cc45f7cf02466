/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel symbols in objects: the integers that hold addresses, and their
 * names. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/kallsyms.h"
#include "base/mem.h"
#include "codegen/codegen.h"

struct compiled {
	struct diags ds;
	struct arena arena;
	struct cg_session *s;
	struct dif_prog *prog;
};

static const struct dif_obj *
compile(struct compiled *c, const char *text)
{
	struct lang_compile lc = { .text = text,
		.len = strlen(text),
		.pspec = LANG_PSPEC_NAME,
		.arena = &c->arena,
		.diags = &c->ds,
		.target = -1 };

	diags_init(&c->ds);
	arena_init(&c->arena);
	c->s = cg_session_create();
	c->prog = cg_compile(c->s, &lc, lang_parse(&lc));
	assert_non_null(c->prog);
	return c->prog->clauses.v[0].actions.v[0].difo;
}

static void
release(struct compiled *c)
{
	dif_prog_destroy(c->prog);
	cg_session_destroy(c->s);
	diags_fini(&c->ds);
	arena_fini(&c->arena);
}

/* The address of a function of every kernel, or the test is skipped. */
static uint64_t
address(const char *name)
{
	struct kallsyms list = { 0 };
	char type, *module;
	uint64_t addr;

	if (kallsyms_find(&list, "vmlinux", name, &addr, &type, &module) !=
	    KSYM_FOUND)
		skip();
	assert_string_equal(module, "vmlinux");
	assert_true(ksym_is_code(type));
	free(module);
	kallsyms_fini(&list);
	return addr;
}

static void
relocations(void **state)
{
	uint64_t rd = address("vfs_read"), wr = address("vfs_write");
	const struct dif_obj *dp;
	struct compiled c;
	char *text;

	(void)state;
	/* the same constant beside it is an integer of its own */
	text = mem_printf(
	    "BEGIN { trace((uintptr_t)`vfs_write + "
	    "(uintptr_t)`vfs_read + (uintptr_t)vmlinux`vfs_read + %lluULL); }",
	    (unsigned long long)rd);
	dp = compile(&c, text);
	assert_int_equal(dp->nint, 3);
	assert_int_equal(dp->nkrel, 2);
	assert_string_equal(dp->krels[0].symbol, "vfs_write");
	assert_string_equal(dp->krels[0].module, "vmlinux");
	assert_true(dp->inttab[dp->krels[0].int_index] == wr);
	assert_string_equal(dp->krels[1].symbol, "vfs_read");
	assert_true(dp->inttab[dp->krels[1].int_index] == rd);
	assert_false(dp->krels[1].is_percpu);
	assert_true(dp->krels[1].addend == 0);
	release(&c);
	free(text);
}

static void
no_relocations(void **state)
{
	struct compiled c;
	const struct dif_obj *dp = compile(&c, "BEGIN { trace(12345); }");

	(void)state;
	assert_int_equal(dp->nkrel, 0);
	assert_null(dp->krels);
	release(&c);
}

static void
states(void **state)
{
	struct kallsyms list = { 0 };
	char type, *module;
	uint64_t addr;
	enum ksym_state s;

	(void)state;
	address("vfs_read");
	s = kallsyms_find(&list, NULL, "no_such_symbol", &addr, &type, &module);
	assert_true(s == KSYM_ABSENT || s == KSYM_NO_DATA);
	assert_int_equal(kallsyms_find(&list, "no_such_module", "vfs_read",
			     &addr, &type, &module),
	    KSYM_NO_MODULE);
	/* a part of a name is not found, and the list still exists */
	s = kallsyms_find(&list, NULL, "vfs_rea", &addr, &type, &module);
	assert_true(s == KSYM_ABSENT || s == KSYM_NO_DATA);
	assert_int_equal(
	    kallsyms_find(&list, NULL, "vfs_read", &addr, &type, &module),
	    KSYM_FOUND);
	free(module);
	kallsyms_fini(&list);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(relocations),
		cmocka_unit_test(no_relocations),
		cmocka_unit_test(states),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
