/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code replaces references to translators: its effect on the code around it,
 * and on a program once it is linked.
 */
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "codegen/codegen.h"

/* ---- one object (dif_link()) --------------------------------------------- */

#define INPUT 0x600 /* holds XLATE's value, as "in" */
#define SAVE 0x610  /* SAVE + 1 holds %r1, and so on */
#define HEAD "DIFO returns D type (integer) (size 8)\n"
#define REF                                                                    \
	"DT_XLREF[0] = \"int\" \"struct out\" \"m\" 0 D type (integer) (size 8)\n"
#define IN                                                                     \
	"NAME ID KND SCP FLAG TYPE\n"                                          \
	"in 600 scl loc r D type (integer) (size 8)\n"

static struct dif_obj *
assemble(const char *text)
{
	struct dif_obj *dp = NULL;
	struct err err = { 0 };

	if (dif_assemble(text, strlen(text), &dp, &err) != 0)
		fail_msg("%s\n%s", err.text, text);
	return dp;
}

static int
join(struct dif_obj *dp, const char *part, struct err *err)
{
	struct dif_part p = { .obj = assemble(part), .input = INPUT };
	uint32_t saves[DIF_NREGS];
	int rc;

	for (uint32_t r = 0; r < DIF_NREGS; r++)
		saves[r] = SAVE + r;
	assert_int_equal(dif_verify(p.obj, err), 0);
	if (dif_verify_unlinked(dp, err) != 0)
		fail_msg("%s", err_text(err));
	rc = dif_link(dp, &p, saves, err);
	dif_obj_destroy(p.obj);
	return rc;
}

/* Check the instructions alone: text and part must give `want`, assembled. */
static void
check_join(const char *text, const char *part, const char *want)
{
	struct dif_obj *dp = assemble(text), *wp = assemble(want);
	struct strbuf a = { 0 }, b = { 0 };
	struct err err = { 0 };

	if (join(dp, part, &err) != 0)
		fail_msg("%s\n%s", err.text, text);
	dif_format(dp, &a);
	dif_format(wp, &b);
	assert_string_equal(a.s, b.s);
	strbuf_fini(&a);
	strbuf_fini(&b);
	dif_obj_destroy(dp);
	dif_obj_destroy(wp);
}

static void
check_refused(const char *text, const char *part, const char *why)
{
	struct dif_obj *dp = assemble(text);
	struct err err = { 0 };

	assert_int_equal(join(dp, part, &err), -EINVAL);
	if (strstr(err.text, why) == NULL)
		fail_msg("'%s' lacks '%s'", err.text, why);
	err_clear(&err);
	dif_obj_destroy(dp);
}

static void
in_place(void **state)
{
	(void)state;
	/* the value is moved to rd; there is no input, and nothing to save */
	check_join(HEAD REF "xlarg 0, %r3\n"
			    "ret %r3\n",
	    HEAD "ldgs arg0, %r1\n"
		 "ret %r1\n",
	    HEAD "ldgs arg0, %r1\n"
		 "mov %r1, %r3\n"
		 "ret %r3\n");
	/* the input variable holds XLATE's value */
	check_join(HEAD REF "ldgs pid, %r2\n"
			    "xlate 0, %r2\n"
			    "ret %r2\n",
	    HEAD "ldls 0x600, %r1\n"
		 "ret %r1\n" IN,
	    HEAD "ldgs pid, %r2\n"
		 "stls %r2, 0x600\n"
		 "ldls 0x600, %r1\n"
		 "mov %r1, %r2\n"
		 "ret %r2\n"
		 "DT_STRING[0] = \"\"\n"
		 "DT_STRING[1] = \"in\"\n"
		 "NAME ID KND SCP FLAG TYPE\n"
		 "in 600 scl loc r D type (integer) (size 8) ! DT_STRING[1]\n");
	/* a part that does not read the input gets none */
	check_join(HEAD REF "ldgs pid, %r2\n"
			    "xlate 0, %r2\n"
			    "ret %r2\n",
	    HEAD "mov %r0, %r1\n"
		 "ret %r1\n",
	    HEAD "ldgs pid, %r2\n"
		 "mov %r0, %r1\n"
		 "mov %r1, %r2\n"
		 "ret %r2\n");
}

/*
 * The part may overwrite a register; it is saved if and only if it is read
 * later.
 */
static void
registers(void **state)
{
	static const char part[] = HEAD "ldgs arg0, %r1\n"
					"mov %r1, %r2\n"
					"add %r1, %r2, %r3\n"
					"ret %r3\n";

	(void)state;
	check_join(HEAD REF "ldgs pid, %r1\n"
			    "ldgs tid, %r2\n"
			    "ldgs uid, %r4\n"
			    "xlarg 0, %r3\n"
			    "add %r1, %r3, %r3\n"
			    "add %r4, %r3, %r3\n"
			    "mov %r3, %r2\n"
			    "ret %r2\n",
	    part,
	    HEAD "ldgs pid, %r1\n"
		 "ldgs tid, %r2\n"
		 "ldgs uid, %r4\n"
		 "stls %r1, 0x611\n"
		 "ldgs arg0, %r1\n"
		 "mov %r1, %r2\n"
		 "add %r1, %r2, %r3\n"
		 "mov %r3, %r3\n"
		 "ldls 0x611, %r1\n"
		 "add %r1, %r3, %r3\n"
		 "add %r4, %r3, %r3\n"
		 "mov %r3, %r2\n"
		 "ret %r2\n"
		 "DT_STRING[0] = \"\"\n"
		 "DT_STRING[1] = \"$saved\"\n"
		 "NAME ID KND SCP FLAG TYPE\n"
		 "\"$saved\" 611 scl loc rw D type (integer) (size 8)"
		 " ! DT_STRING[1]\n");
	/* on one of the two ways alone */
	check_join(HEAD REF "ldgs pid, %r2\n"
			    "xlarg 0, %r1\n"
			    "tst %r1\n"
			    "be out\n"
			    "mov %r2, %r1\n"
			    "out: ret %r1\n",
	    part,
	    HEAD "ldgs pid, %r2\n"
		 "stls %r2, 0x612\n"
		 "ldgs arg0, %r1\n"
		 "mov %r1, %r2\n"
		 "add %r1, %r2, %r3\n"
		 "mov %r3, %r1\n"
		 "ldls 0x612, %r2\n"
		 "tst %r1\n"
		 "be out\n"
		 "mov %r2, %r1\n"
		 "out: ret %r1\n"
		 "DT_STRING[0] = \"\"\n"
		 "DT_STRING[1] = \"$saved\"\n"
		 "NAME ID KND SCP FLAG TYPE\n"
		 "\"$saved\" 612 scl loc rw D type (integer) (size 8)"
		 " ! DT_STRING[1]\n");
}

/* Branches of both codes find their targets, and every RET of the part leads to
 * its end. */
static void
branches(void **state)
{
	(void)state;
	check_join(HEAD REF "ldgs pid, %r1\n"
			    "tst %r1\n"
			    "be third\n"
			    "be fourth\n"
			    "third: xlarg 0, %r1\n"
			    "fourth: ret %r1\n",
	    HEAD "ldgs arg0, %r1\n"
		 "tst %r1\n"
		 "be zero\n"
		 "ret %r1\n"
		 "zero: ret %r0\n",
	    HEAD "ldgs pid, %r1\n"
		 "tst %r1\n"
		 "be third\n"
		 "be fourth\n"
		 "third: ldgs arg0, %r1\n"
		 "tst %r1\n"
		 "be zero\n"
		 "mov %r1, %r1\n"
		 "ba fourth\n"
		 "zero: mov %r0, %r1\n"
		 "fourth: ret %r1\n");
}

/* Constants and strings of the part follow the existing ones; a part that is
 * used twice adds them once. */
static void
tables(void **state)
{
	(void)state;
	check_join(HEAD REF "DT_INTEGER[0] = 0x11\n"
			    "DT_STRING[0] = \"\"\n"
			    "DT_STRING[1] = \"a\"\n"
			    "xlarg 0, %r1\n"
			    "setx DT_INTEGER[0], %r2\n"
			    "xlarg 0, %r1\n"
			    "ret %r1\n",
	    HEAD "DT_INTEGER[0] = 0x22\n"
		 "DT_INTEGER[1] = 0x33\n"
		 "DT_STRING[0] = \"\"\n"
		 "DT_STRING[1] = \"b\"\n"
		 "setx DT_INTEGER[1], %r1\n"
		 "sets DT_STRING[1], %r1\n"
		 "ret %r1\n",
	    HEAD "DT_INTEGER[0] = 0x11\n"
		 "DT_INTEGER[1] = 0x22\n"
		 "DT_INTEGER[2] = 0x33\n"
		 "DT_STRING[0] = \"\"\n"
		 "DT_STRING[1] = \"a\"\n"
		 "DT_STRING[3] = \"\"\n"
		 "DT_STRING[4] = \"b\"\n"
		 "setx DT_INTEGER[2], %r1\n"
		 "sets DT_STRING[4], %r1\n"
		 "mov %r1, %r1\n"
		 "setx DT_INTEGER[0], %r2\n"
		 "setx DT_INTEGER[2], %r1\n"
		 "sets DT_STRING[4], %r1\n"
		 "mov %r1, %r1\n"
		 "ret %r1\n");
	check_join(HEAD REF
	    "DT_INTEGER[0] = 0\n"
	    "DT_KREL[0] = DT_INTEGER[0] \"vmlinux\" \"jiffies\" 0x0\n"
	    "xlarg 0, %r1\n"
	    "ret %r1\n",
	    HEAD "DT_INTEGER[0] = 0x22\n"
		 "DT_KREL[0] = DT_INTEGER[0] \"ext4\" \"x\" 0x8\n"
		 "setx DT_INTEGER[0], %r1\n"
		 "ret %r1\n",
	    HEAD "DT_INTEGER[0] = 0\n"
		 "DT_INTEGER[1] = 0x22\n"
		 "DT_KREL[0] = DT_INTEGER[0] \"vmlinux\" \"jiffies\" 0x0\n"
		 "DT_KREL[1] = DT_INTEGER[1] \"ext4\" \"x\" 0x8\n"
		 "setx DT_INTEGER[1], %r1\n"
		 "mov %r1, %r1\n"
		 "ret %r1\n");
}

#define PUSH "pushtv DT_TYPE(0), %r0, %r1\n"
#define CALLS                                                                  \
	HEAD "ldgs arg0, %r1\n" PUSH "call getmajor, %r1\n"                    \
	     "ret %r1\n"

static void
tuple_stack(void **state)
{
	(void)state;
	/* the stack is empty, and nothing is pushed later */
	check_join(HEAD REF "xlarg 0, %r1\n"
			    "ret %r1\n",
	    CALLS,
	    HEAD "ldgs arg0, %r1\n" PUSH "call getmajor, %r1\n"
		 "mov %r1, %r1\n"
		 "ret %r1\n");
	/* values left on the stack are dropped, before and after the part */
	check_join(HEAD REF "ldgs pid, %r1\n" PUSH "call getminor, %r1\n"
			    "xlarg 0, %r1\n"
			    "flushts\n" PUSH "call getminor, %r1\n"
			    "ret %r1\n",
	    CALLS,
	    HEAD "ldgs pid, %r1\n" PUSH "call getminor, %r1\n"
		 "flushts\n"
		 "ldgs arg0, %r1\n" PUSH "call getmajor, %r1\n"
		 "mov %r1, %r1\n"
		 "flushts\n" PUSH "call getminor, %r1\n"
		 "ret %r1\n");
	check_join(HEAD REF "xlarg 0, %r1\n" PUSH "call getminor, %r1\n"
			    "ret %r1\n",
	    CALLS,
	    HEAD "ldgs arg0, %r1\n" PUSH "call getmajor, %r1\n"
		 "mov %r1, %r1\n"
		 "flushts\n" PUSH "call getminor, %r1\n"
		 "ret %r1\n");
	check_refused(HEAD REF "ldgs pid, %r1\n" PUSH "xlarg 0, %r2\n"
			       "call getminor, %r1\n"
			       "ret %r1\n",
	    CALLS,
	    "instruction 2 (xlarg): the translator calls subroutines, but "
	    "stands between arguments that were pushed before");
	/* a part without calls may stand between arguments */
	check_join(HEAD REF "ldgs pid, %r1\n" PUSH "xlarg 0, %r2\n"
			    "call getminor, %r1\n"
			    "ret %r1\n",
	    HEAD "ldgs arg0, %r3\n"
		 "ret %r3\n",
	    HEAD "ldgs pid, %r1\n" PUSH "ldgs arg0, %r3\n"
		 "mov %r3, %r2\n"
		 "call getminor, %r1\n"
		 "ret %r1\n");
}

static void
flags(void **state)
{
	static const char part[] = HEAD "ldgs arg0, %r1\n"
					"tst %r1\n"
					"be out\n"
					"mov %r0, %r1\n"
					"out: ret %r1\n";

	(void)state;
	check_refused(HEAD REF "ldgs pid, %r1\n"
			       "tst %r1\n"
			       "xlarg 0, %r1\n"
			       "be out\n"
			       "mov %r0, %r1\n"
			       "out: ret %r1\n",
	    part,
	    "instruction 2 (xlarg): the translator compares, but stands "
	    "between a comparison and its branch");
	/* the comparison is repeated before a branch reads it */
	check_join(HEAD REF "ldgs pid, %r1\n"
			    "tst %r1\n"
			    "xlarg 0, %r1\n"
			    "ba next\n"
			    "next: tst %r1\n"
			    "be out\n"
			    "out: ret %r1\n",
	    part,
	    HEAD "ldgs pid, %r1\n"
		 "tst %r1\n"
		 "ldgs arg0, %r1\n"
		 "tst %r1\n"
		 "be zero\n"
		 "mov %r0, %r1\n"
		 "zero: mov %r1, %r1\n"
		 "ba next\n"
		 "next: tst %r1\n"
		 "be out\n"
		 "out: ret %r1\n");
}

/* The result may never be larger than an object can be. */
static void
sizes(void **state)
{
	struct strbuf text = { 0 }, part = { 0 };

	(void)state;
	strbuf_adds(&text, HEAD REF);
	for (int i = 0; i < 1000; i++)
		strbuf_adds(&text, "xlarg 0, %r1\n");
	strbuf_adds(&text, "ret %r1\n");
	strbuf_adds(&part, HEAD "mov %r0, %r1\n");
	for (int i = 0; i < 100; i++)
		strbuf_adds(&part, "mov %r1, %r1\n");
	strbuf_adds(&part, "ret %r1\n");
	check_refused(text.s, part.s,
	    "with the translators' code the object "
	    "has more than 262144 bytes");
	strbuf_reset(&part);
	strbuf_adds(&part, HEAD "DT_STRING[0] = \"");
	for (int i = 0; i < 65535; i++)
		strbuf_addc(&part, 'x');
	strbuf_adds(&part,
	    "\"\n"
	    "sets DT_STRING[0], %r1\n"
	    "ret %r1\n");
	check_refused(HEAD REF "DT_STRING[0] = \"\"\n"
			       "xlarg 0, %r1\n"
			       "ret %r1\n",
	    part.s,
	    "constants and strings the object has more "
	    "than 65536");
	strbuf_fini(&text);
	strbuf_fini(&part);
}

static void
unlinked(void **state)
{
	static const char *const bad[] = {
		HEAD REF "xlarg 1, %r1\n"
			 "ret %r1\n",
		HEAD REF "xlarg 0, %r0\n"
			 "ret %r0\n",
		HEAD REF "xlate 0, %r1\n"
			 "ret %r1\n",
	};
	static const char *const why[] = {
		"instruction 0 (xlarg): translator reference 1 is outside of "
		"the table of 1",
		"%r0 cannot be written",
		"instruction 0 (xlate): %r1 is read before it is written"
	};
	struct err err = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct dif_obj *dp = assemble(bad[i]);

		assert_int_equal(dif_verify_unlinked(dp, &err), -EINVAL);
		if (strstr(err.text, why[i]) == NULL)
			fail_msg("'%s' lacks '%s'", err.text, why[i]);
		err_clear(&err);
		/* an object that refers to one may not run */
		assert_int_equal(dif_verify(dp, &err), -EINVAL);
		err_clear(&err);
		dif_obj_destroy(dp);
	}
}

/* ---- programs (cg_link()) ------------------------------------------------ */

static int
fake_probes(void *ctx, const struct ast_pdesc *pd, lang_probe_f *f, void *arg)
{
	static const struct dt_argdesc args[] = { { "int", NULL, 0, false },
		{ "struct bio *", "bufinfo_t *", 2, false } };
	struct lang_probe lp = { "io", "", "", "start", args, 2,
		"Stable/Stable/Common" };

	(void)ctx;
	return strcmp(pd->prov, "io") == 0 ? f(&lp, arg) : 0;
}

/* A session, and the texts that it is given. */
struct texts {
	struct cg_session *s;
	struct diags ds;
	struct arena arena;
	struct lang_compile lc;
};

static void
texts_init(struct texts *t)
{
	t->s = cg_session_create();
	diags_init(&t->ds);
	arena_init(&t->arena);
	t->lc = (struct lang_compile){ .pspec = LANG_PSPEC_NAME,
		.arena = &t->arena,
		.diags = &t->ds,
		.target = -1,
		.flags = LANG_F_EMPTY,
		.is_type = cg_is_type,
		.is_type_ctx = t->s,
		.probes = fake_probes };
}

static void
texts_fini(struct texts *t)
{
	cg_session_destroy(t->s);
	diags_fini(&t->ds);
	arena_fini(&t->arena);
}

static struct dif_prog *
compile(struct texts *t, const char *text)
{
	t->lc.text = text;
	t->lc.len = strlen(text);
	return cg_compile(t->s, &t->lc, lang_parse(&t->lc));
}

static void
declare(struct texts *t, const char *text)
{
	struct dif_prog *p = compile(t, text);

	assert_non_null(p);
	dif_prog_destroy(p);
}

static void
assert_has(const char *got, const char *want)
{
	if (strstr(got, want) == NULL)
		fail_msg("lacks '%s':\n%s", want, got);
}

/* The first action's object as text, or the error. */
static char *
first_object(struct texts *t, const struct dif_prog *p)
{
	struct strbuf sb = { 0 };

	if (p == NULL || t->ds.list.n != 0)
		diags_format(&t->ds, 1, &sb);
	else
		dif_dump(p->clauses.v[0].actions.v[0].difo, &sb);
	return strbuf_steal(&sb);
}

#define TYPES                                                                  \
	"struct bio { int size; long sector; };"                               \
	"typedef struct { long b_count; long b_blkno; string b_name;"          \
	" char b_text[4]; } bufinfo_t;"
#define TRANSLATOR                                                             \
	"translator bufinfo_t < struct bio *b > { b_count = b->size + 1;"      \
	" b_name = \"disk\"; b_text = \"abc\"; };"

/* Compile with late=dynamic, check, declare the translator, link, check. */
static void
check_late(
    const char *text, const char *before, const char *types, const char *after)
{
	struct texts t;
	struct dif_prog *p;
	char *got;
	int rc;

	texts_init(&t);
	declare(&t, TYPES);
	cg_session_set_late(t.s, true);
	p = compile(&t, text);
	got = first_object(&t, p);
	assert_has(got, before);
	free(got);
	if (p != NULL) {
		assert_true(cg_needs_link(p));
		declare(&t, types);
		rc = cg_link(t.s, &t.lc, p);
		assert_int_equal(rc, t.ds.list.n == 0 ? 0 : -1);
		got = first_object(&t, p);
		assert_has(got, after);
		assert_int_equal(cg_needs_link(p), t.ds.list.n != 0);
		free(got);
		dif_prog_destroy(p);
	}
	texts_fini(&t);
}

static void
programs(void **state)
{
	(void)state;
	/* args[1] comes from arg2, as the provider's mapping says */
	check_late("io:::start { trace(args[1]->b_count); }",
	    "xlarg 0, %r1\t! bufinfo_t < __dtrace_io___start_arg1 >.b_count "
	    "of args[1]",
	    TRANSLATOR,
	    "00: 29010801    ldgs 264, %r1\t\t! "
	    "DT_VAR(264) = \"arg2\"");
	check_late("struct bio *x; BEGIN { "
		   "trace(xlate <bufinfo_t *> (x)->b_count); }",
	    "02: 38050001    ldls 1280, %r1\t\t! DT_VAR(1280) = "
	    "\"this->$bound0\"\n03: 4e000001    xlate 0, %r1\t! bufinfo_t < "
	    "struct bio * >.b_count",
	    TRANSLATOR, "ldsw [%r");
	check_late("BEGIN { trace(xlate <bufinfo_t> ((struct bio *)8).b_name);"
		   " }",
	    "xlate 0, %r1\t! bufinfo_t < struct bio * >.b_name", TRANSLATOR,
	    "! \"disk\"");
	/* a string becomes the array that the program expects */
	check_late("BEGIN { trace(xlate <bufinfo_t> ((struct bio *)8).b_text);"
		   " }",
	    "xlate 0, %r1\t! bufinfo_t < struct bio * >.b_text", TRANSLATOR,
	    "allocs");
	/* a whole struct: members that the translator does not define are
	 * zero */
	check_late("BEGIN { this->p = xlate <bufinfo_t *> ((struct bio *)8); }",
	    "xlate 1, %r1\t! bufinfo_t < struct bio * >.b_blkno", TRANSLATOR,
	    "ldsw [%r");
	check_late("io:::start { this->p = args[1]; }",
	    "xlarg 0, %r1\t! bufinfo_t < __dtrace_io___start_arg1 >.b_count "
	    "of args[1]",
	    TRANSLATOR, "DT_VAR(264) = \"arg2\"");
	/* a translator that exists already replaces its reference at once */
	check_late("translator bufinfo_t < int i > { b_count = i; };"
		   "BEGIN { trace(xlate <bufinfo_t> (7).b_count + "
		   "xlate <bufinfo_t> ((struct bio *)8).b_count); }",
	    "xlate 0, ", TRANSLATOR, "add");
}

static void
refused(void **state)
{
	static const char text[] =
	    "BEGIN { trace(xlate <bufinfo_t> ((struct bio *)8).b_blkno); }";

	(void)state;
	check_late(text, "xlate 0, %r1", "",
	    "[D_XLATE_NONE] there is no "
	    "translator from struct bio * to bufinfo_t");
	check_late(text, "xlate 0, %r1", TRANSLATOR,
	    "[D_XLATE_NOCONV] the "
	    "translator from struct bio * to bufinfo_t does not define "
	    "'b_blkno'");
	check_late("BEGIN { trace(xlate <bufinfo_t> ((struct bio *)8).no); }",
	    "[D_TYPE_MEMBER] the translator from struct bio * makes bufinfo_t, "
	    "which has no member 'no'",
	    "", "");
	check_late("BEGIN { this->p = xlate <bufinfo_t *> ((struct bio *)8); }",
	    "xlate 0, %r1", "",
	    "[D_XLATE_NONE] there is no translator from "
	    "struct bio * to bufinfo_t");
}

/* Link a program from elsewhere: the object and its references as text. */
static void
check_foreign(const char *object, const char *prov, int rc, const char *want)
{
	struct texts t;
	struct dif_prog *p = dif_prog_create();
	struct dif_clause cl = { 0 };
	struct dif_pdesc pd = { mem_strdup(prov), mem_strdup(""),
		mem_strdup(""), mem_strdup(""), 0, false, { 0 } };
	struct dif_action act = { .kind = DT_ACT_DIFEXPR };
	char *got;
	struct err err = { 0 };

	texts_init(&t);
	act.difo = assemble(object);
	if (dif_verify_unlinked(act.difo, &err) != 0)
		fail_msg("%s", err.text);
	VEC_PUSH(&cl.pdescs, pd);
	VEC_PUSH(&cl.actions, act);
	VEC_PUSH(&p->clauses, cl);
	assert_true(cg_session_reserve(t.s, p));
	declare(&t,
	    "int seen;" TYPES TRANSLATOR
	    "translator bufinfo_t < int i > { b_count = seen + i; };");
	assert_int_equal(cg_link(t.s, &t.lc, p), rc);
	got = first_object(&t, p);
	assert_has(got, want);
	free(got);
	dif_prog_destroy(p);
	texts_fini(&t);
}

#define FOREIGN(in, out, member, argn, type)                                   \
	HEAD "DT_XLREF[0] = \"" in "\" \"" out "\" \"" member "\" " argn       \
	     " " type "\n"
#define LONG "D type (integer) (size 8)"
#define XLARG                                                                  \
	"xlarg 0, %r1\n"                                                       \
	"ret %r1\n"
#define XLATE                                                                  \
	"ldgs pid, %r1\n"                                                      \
	"xlate 0, %r1\n"                                                       \
	"ret %r1\n"

static void
foreign(void **state)
{
	(void)state;
	/* the provider's own types have priority; without one, the reference's
	 * type counts */
	check_foreign(FOREIGN("elsewhere_t", "bufinfo_t", "b_count", "1", LONG)
			  XLARG,
	    "io", 0, "= \"arg2\"");
	check_foreign(FOREIGN("struct bio *", "bufinfo_t", "b_count", "1", LONG)
			  XLARG,
	    "untyped", 0, "= \"arg1\"");
	check_foreign(FOREIGN("elsewhere_t", "bufinfo_t", "b_count", "1", LONG)
			  XLARG,
	    "untyped", -1, "[D_ARGS_NONE] args[] has no types");
	check_foreign(
	    FOREIGN("struct bio *", "bufinfo_t", "b_count", "12", LONG) XLARG,
	    "untyped", -1,
	    "[D_ARGS_IDX] args[12] is the probe's "
	    "argument 12, and only 10 can be had");
	check_foreign(FOREIGN("x", "bufinfo_t", "b_count", "2", LONG) XLARG,
	    "io", -1, "[D_ARGS_IDX] args[2] is beyond the arguments");
	check_foreign(FOREIGN("x", "bufinfo_t", "b_count", "0", LONG) XLARG,
	    "io", 0, "= \"arg0\"");
	check_foreign(FOREIGN("elsewhere_t", "bufinfo_t", "b_count", "0", LONG)
			  XLATE,
	    "", -1,
	    "[D_XLATE_NONE] the program translates from "
	    "elsewhere_t, a type that is not known here");
	check_foreign(FOREIGN("int", "elsewhere_t", "b_count", "0", LONG) XLATE,
	    "", -1,
	    "[D_XLATE_NONE] the program needs a translator from "
	    "int to elsewhere_t, a type that is not known here");
	check_foreign(FOREIGN("long", "bufinfo_t", "b_count", "0", LONG) XLATE,
	    "", -1,
	    "[D_XLATE_NONE] there is no translator from long to "
	    "bufinfo_t");
	check_foreign(FOREIGN("int", "bufinfo_t", "b_count", "0",
			  "D type (integer) (size 4)") XLATE,
	    "", -1,
	    "[D_XLATE_NOCONV] the "
	    "program expects member 'b_count' of bufinfo_t to have 4 bytes, "
	    "but here it is of type long");
	check_foreign(
	    FOREIGN("int", "bufinfo_t", "b_count", "0", LONG) "ldgs pid, %r1\n"
							      "xlate 0, %r1\n"
							      "xlarg 0, %r1\n"
							      "ret %r1\n",
	    "", -1, "both a value and an argument");
}

/* The session's new variables get ids that the program does not use. */
static void
ids(void **state)
{
	(void)state;
	check_foreign(
	    FOREIGN("int", "bufinfo_t", "b_count", "0",
		LONG) "ldgs 0x507, %r1\n"
		      "xlate 0, %r1\n"
		      "ret %r1\n"
		      "NAME ID KND SCP FLAG TYPE\n"
		      "seen 507 scl glb r D type (integer) (size 4)\n"
		      "mine 503 scl loc r D type (integer) (size 4)\n",
	    "", 0, "\"$bound0\"        504  scl loc");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_place),
		cmocka_unit_test(registers),
		cmocka_unit_test(branches),
		cmocka_unit_test(tables),
		cmocka_unit_test(tuple_stack),
		cmocka_unit_test(flags),
		cmocka_unit_test(sizes),
		cmocka_unit_test(unlinked),
		cmocka_unit_test(programs),
		cmocka_unit_test(refused),
		cmocka_unit_test(foreign),
		cmocka_unit_test(ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
