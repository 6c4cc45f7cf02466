/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects that the verifier accepts and the interpreter runs, but that the
 * kernel substrate does not support: it refuses them by name, and loads
 * nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"
#include "diff.h"

#define HEAD "DIFO returns D type (integer) (size 8)\n"
#define VARS                                                                   \
	"NAME ID KND SCP FLAG TYPE\n"                                          \
	"a 600 arr glb rw D type (integer) (size 8)\n"                         \
	"x 500 scl glb rw D type (integer) (size 8)\n"

static const struct refusal {
	const char *text[2]; /* objects of one clause */
	const char *msg;
} refusals[] = {
	{ { HEAD "ldgs 0x500, %r1\nret %r1\n" VARS,
	      HEAD "ldgs 0x500, %r1\nret %r1\nNAME ID KND SCP FLAG TYPE\n"
		   "x 500 scl glb rw string by ref (size strsize)\n" },
	    "variable 0x500 has different types in two objects" },
	{ { HEAD "tst %r0\nbe out\npushtv DT_TYPE(0), %r0, %r0\n"
		 "out: ldgaa 0x600, %r1\nret %r1\n" VARS },
	    "the script: the tuple stack differs between two ways to "
	    "instruction 3" },
	{ { HEAD "tst %r0\nbe out\npushtv DT_TYPE(0), %r0, %r0\n"
		 "out: pushtv DT_TYPE(0), %r0, %r0\nret %r0\n" },
	    "the script: the tuple stack differs between two ways to "
	    "instruction 3" },
	{ { HEAD
	      "ldgs pid, %r1\nsets \"abc\", %r2\n"
	      "pushtr DT_TYPE(0), %r1, %r2\nldgaa 0x600, %r1\nret %r1\n" VARS },
	    "the script: the size of key 1 is not a constant" },
	{ { HEAD
	      "ldgs pid, %r1\nsets \"abc\", %r2\n"
	      "pushtr DT_TYPE(1), %r1, %r2\nldgaa 0x600, %r1\nret %r1\n" VARS },
	    "the script: the size of key 1 is not a constant" },
	{ { HEAD "tst %r0\nbe else\npushtv DT_TYPE(0), %r0, %r0\nba out\n"
		 "else: pushtr DT_TYPE(1), %r0, %r0\n"
		 "out: ldgaa 0x600, %r1\nret %r1\n" VARS },
	    "the script: key 1 differs in kind between two ways to "
	    "instruction 5" },
	{ { HEAD "ldgaa 0x600, %r1\nret %r1\n" VARS },
	    "the script: the key of an array is empty" },
	{ { HEAD
	      "pushtv DT_TYPE(0), %r0, %r0\nldgaa 0x600, %r1\n"
	      "pushtv DT_TYPE(0), %r0, %r0\nldgaa 0x600, %r1\nret %r1\n" VARS },
	    "the script: the keys of an array differ in size between uses" },
};

static struct dif_obj *
assemble(const char *text)
{
	struct dif_obj *dp = NULL;
	struct err err = { 0 };

	if (dif_assemble(text, strlen(text), &dp, &err) != 0 ||
	    dif_verify(dp, &err) != 0) {
		printf("Bail out! %s\n", err.text);
		exit(1);
	}
	return dp;
}

/* Is the clause refused with the expected message? */
static bool
check_refused(const struct refusal *r)
{
	struct batch b = { .env = { .strsize = 64 } };
	struct clause c = { 0 };
	struct err err = { 0 };
	bool ok;

	for (int i = 0; i < 2 && r->text[i] != NULL; i++)
		VEC_PUSH(&c.objs, assemble(r->text[i]));
	VEC_PUSH(&b.clauses, c);
	ok = kernel_run(&b, &err) != 0 && strcmp(err.text, r->msg) == 0;
	if (!ok)
		printf("# expected: %s\n# got: %s\n", r->msg,
		    err.text != NULL ? err.text : "no refusal");
	err_clear(&err);
	batch_fini(&b);
	return ok;
}

uint32_t
test_refusals(void)
{
	uint32_t bad = 0;

	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		bad += !check_refused(&refusals[i]);
	return bad;
}
