/* SPDX-License-Identifier: BSD-2-Clause */
/* args[] of imitated probes: types, mappings, and refusals. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/mem.h"
#include "base/str.h"
#include "codegen/codegen.h"
#include "ctf/ctf.h"

static const struct probe {
	const char *name;
	size_t nargs;
	struct dt_argdesc args[4];
} probes[] = {
	{ "plain", 3,
	    { { "int", NULL, 0, false }, { "char", NULL, 1, false },
		{ "char *", NULL, 2, true } } },
	/* the provider's second and first argument, and one beyond the last */
	{ "swapped", 3,
	    { { "long", NULL, 1, false }, { "long", NULL, 0, false },
		{ "long", NULL, 10, false } } },
	{ "other", 2,
	    { { "int", NULL, 0, false }, { "short", NULL, 1, false } } },
	{ "xlated", 1, { { "struct bio *", "bufinfo_t *", 0, false } } },
	{ "odd", 2,
	    { { "nosuch_t", NULL, 0, false },
		{ "struct bio", NULL, 1, false } } },
	{ "none", 0, { { NULL, NULL, 0, false } } },
};

static int
fake_probes(void *ctx, const struct ast_pdesc *pd, lang_probe_f *f, void *arg)
{
	(void)ctx;
	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++) {
		const struct probe *p = &probes[i];
		struct lang_probe lp = { "made", "", "up", p->name, p->args,
			p->nargs, "Stable/Stable/Common" };

		if (glob_match(pd->name, p->name))
			f(&lp, arg);
	}
	return 0;
}

/* The object of the first action, or the errors, as text; the caller frees. */
static char *
compile(const char *text)
{
	struct diags ds;
	struct arena arena;
	struct cg_session *s = cg_session_create();
	struct lang_compile lc = { .text = text,
		.len = strlen(text),
		.pspec = LANG_PSPEC_NAME,
		.arena = &arena,
		.diags = &ds,
		.target = -1,
		.probes = fake_probes };
	struct strbuf sb = { 0 };
	struct dif_prog *prog;

	diags_init(&ds);
	arena_init(&arena);
	prog = cg_compile(s, &lc, lang_parse(&lc));
	if (prog != NULL)
		dif_dump(prog->clauses.v[0].actions.v[0].difo, &sb);
	else
		diags_format(&ds, 1, &sb);
	dif_prog_destroy(prog);
	cg_session_destroy(s);
	diags_fini(&ds);
	arena_fini(&arena);
	return strbuf_steal(&sb);
}

static void
assert_has(const char *text, const char *want)
{
	char *got = compile(text);

	if (strstr(got, want) == NULL)
		fail_msg("%s\nlacks '%s':\n%s", text, want, got);
	free(got);
}

static void
assert_same(const char *text, const char *other)
{
	char *a = compile(text), *b = compile(other);

	assert_string_equal(a, b);
	free(a);
	free(b);
}

/* args[n] is the native argument of the mapping, cast to its type. */
static void
values(void **state)
{
	(void)state;
	assert_same(
	    "up:plain { trace(args[1]); }", "up:plain { trace((char)arg1); }");
	assert_same("up:plain { trace(args[0] + 1); }",
	    "up:plain { trace((int)arg0 + 1); }");
	assert_same("up:plain { trace(*args[2]); }",
	    "up:plain { trace(*(userland char *)arg2); }");
	assert_same("up:swapped { trace(args[0] - args[1]); }",
	    "up:swapped { trace(arg1 - arg0); }");
	/* the same in both probes */
	assert_same("up:plain,up:other { trace(args[0]); }",
	    "up:plain { trace((int)arg0); }");
	assert_same("up:plain { trace(sizeof (args[1])); }",
	    "up:plain { trace((size_t)1); }");
}

#define TRANSLATOR                                                             \
	"struct bio { int size; long sector; };"                               \
	"typedef struct { long b_count; long b_blkno; } bufinfo_t;"            \
	"translator bufinfo_t < struct bio *b > {"                             \
	"	b_count = b->size + 1; b_blkno = b->sector; };"

/* A translated argument is its translation, member by member. */
static void
translated(void **state)
{
	(void)state;
	assert_same(TRANSLATOR "up:xlated { trace(args[0]->b_count); }",
	    TRANSLATOR "up:xlated { trace(xlate <bufinfo_t *> "
		       "((struct bio *)arg0)->b_count); }");
	/* 8 is the member's offset in the native argument */
	assert_has(TRANSLATOR "up:xlated { trace(args[0]->b_blkno); }",
	    "setx DT_INTEGER[0], %r2\t! 0x8");
	assert_has(TRANSLATOR "up:xlated { trace(args[0]->size); }",
	    "[D_TYPE_MEMBER]");
}

static void
refused(void **state)
{
	(void)state;
	assert_has("up:plain,up:other { trace(args[1]); }",
	    "[D_ARGS_MULTI] args[1] is not the same in all probes of the "
	    "clause: made::up:plain has char, made::up:other has short");
	assert_has("up:plain,up:other { trace(args[2]); }",
	    "made::up:plain has userland char *, made::up:other has no such "
	    "argument");
	assert_has("up:xlated,up:other { trace(args[0]); }",
	    "made::up:xlated has bufinfo_t * made of struct bio * arg0, "
	    "made::up:other has int");
	assert_has("up:none,up:other { trace(args[0]); }",
	    "made::up:none has no such argument, made::up:other has int");
	assert_has("up:xlated { trace(args[0]); }",
	    "[D_ARGS_XLATOR] args[0] needs a translator from struct bio * to "
	    "bufinfo_t *");
	assert_has("up:odd { trace(args[0]); }",
	    "[D_ARGS_TYPE] args[0] has type nosuch_t, which is not known");
	assert_has("up:odd { trace(args[1]); }",
	    "[D_ARGS_TYPE] args[1] has type struct bio, which is no integer");
	assert_has("up:none { trace(args[0]); }",
	    "[D_ARGS_NONE] args[] is not available: probe made::up:none");
	assert_has("up:never { trace(args[0]); }",
	    "[D_ARGS_NONE] args[] has no types: the clause's descriptions "
	    "match no probe");
	assert_has("inline int x = args[0]; up:plain { trace(x); }",
	    "[D_ARGS_NONE] args[] has a meaning in clauses only");
	assert_has("up:plain { trace(args[3]); }",
	    "[D_ARGS_IDX] args[3] is beyond the arguments of probe "
	    "made::up:plain, which has 3");
	assert_has("up:plain { trace(args[-1]); }", "[D_ARGS_IDX]");
	assert_has("up:plain { trace(args[1 << 40]); }", "[D_ARGS_IDX]");
	assert_has("up:plain { trace(args[cpu]); }", "[D_ARGS_IDX]");
	assert_has("up:plain { trace(args[0, 1]); }", "[D_ARGS_IDX]");
	assert_has("up:swapped { trace(args[2]); }",
	    "[D_ARGS_IDX] args[2] is the probe's argument 10");
	assert_has("up:plain { trace(args); }", "[D_ARR_BADREF]");
	assert_has("up:plain { args[0] = 1; }", "[D_OP_LVAL]");
	assert_has("up:plain { trace(args[0]->x); }",
	    "operator -> needs a pointer, not an operand of type int");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(translated),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
