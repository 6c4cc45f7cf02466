/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Outlines of D libraries: the conditions for their probes as names alone tell
 * them, and the libraries for which names do not suffice.
 */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "libdtrace/libprobes.h"

#define PROV "provider p { probe a(); probe b__c(int x) : (char *x); };\n"
#define LINES "p p\nn a\nn b-c\n"

/* A library -> its outline, or NULL if it has none. */
static const struct outline_case {
	const char *text, *want;
} cases[] = {
	{ "", "" },
	{ "/* nothing */ inline int x = 1 ? 2 : 3;\n"
	  "struct s { int probe : 3; };",
	    "" },
	/* it has no probes, whatever it depends on */
	{ "#pragma D depends_on library a.d\ninline int x = 1;", "" },
	{ PROV, LINES },
	{ PROV "sdt:s::e { fire(\"p:::a\"); }", LINES "c a\nd sdt:s::e\n" },
	/* of all forms */
	{ PROV "#pragma D attributes Stable/Stable/Common provider p args\n"
	       "self int k[int];\n"
	       "translator t < int *x > { m = x == NULL ? 1 : *x / 2; };\n"
	       "fbt::f*:entry , /* or */\n fbt:m:[gh]:return\n"
	       "{ fire_in(\"p:::b-c\", args[1], 1); }",
	    LINES "c b-c\nd fbt::f*:entry\nd fbt:m:[gh]:return\n" },
	/* predicates */
	{ PROV "sdt:s::e /x/2 == y && (z || w)/ { fire(\"p:::a\"); }",
	    LINES "c a\nd sdt:s::e\n" },
	{ PROV "sdt:s::e /a && !exists(\"rawtp:::r\") && exists(\"fbt::f:\")/\n"
	       "{ fire(\"p:::a\"); }",
	    LINES "c a\n! rawtp:::r\n? fbt::f:\nd sdt:s::e\n" },
	{ PROV "sdt:s::e /a & exists(\"rawtp:::r\")/ { fire(\"p:::a\"); }",
	    NULL },
	{ PROV "sdt:s::e /(a && exists(\"rawtp:::r\"))/ { fire(\"p:::a\"); }",
	    NULL },
	{ PROV
	    "sdt:s::e /a || b && exists(\"rawtp:::r\")/ { fire(\"p:::a\"); }",
	    NULL },
	{ PROV "sdt:s::e /a ? b : c && exists(\"rawtp:::r\")/\n"
	       "{ fire(\"p:::a\"); }",
	    NULL },
	/* two providers, and a clause for a probe of another library */
	{ PROV "provider q { probe a(); };\n"
	       "sdt:s::e { fire(\"q:::a\"); }\n"
	       "sdt:s::f { fire(\"r:::a\"); }\n"
	       "sdt:s::g { fire(\"p:::a\", \"q:::a\"); }",
	    LINES "c a\nd sdt:s::g\np q\nn a\nc a\nd sdt:s::e\n" },
	/* a clause that only sets variables */
	{ PROV "sdt:s::e /a/ { self->x = 1; }\n"
	       "sdt:s::f /self->x/ { fire(\"p:::a\"); }",
	    LINES "c a\nd sdt:s::f\n" },
	{ PROV "sdt:s::e { self->x = ", NULL },
	/* libraries for which names do not suffice */
	{ PROV "sdt:s::e;", NULL },
	{ PROV "e { fire(\"p:::a\"); }", NULL },
	{ PROV "s::e { fire(\"p:::a\"); }", NULL },
	{ PROV "pid$target:a.out:f:entry { fire(\"p:::a\"); }", NULL },
	{ "provider p$target { probe a(); };", NULL },
	{ "#pragma D depends_on module nfsd\n" PROV, NULL },
	/* not a library */
	{ "provider", NULL },
	{ "provider p { probe a()", NULL },
	{ PROV "sdt:s::e /x", NULL },
	{ PROV "sdt:s::e { fire(", NULL },
	{ PROV "int x", NULL },
};

static void
outlines(void **state)
{
	unsigned nfailed = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct outline_case *c = &cases[i];
		struct strbuf sb = { 0 };
		int rc = dt_outline_scan(c->text, strlen(c->text), &sb);
		const char *got = rc != 0 ? NULL : sb.s != NULL ? sb.s : "";

		if ((got == NULL) != (c->want == NULL) ||
		    (got != NULL && strcmp(got, c->want) != 0)) {
			print_message("%s\nhas the outline\n%s\nnot\n%s\n",
			    c->text, got != NULL ? got : "(none)",
			    c->want != NULL ? c->want : "(none)");
			nfailed++;
		}
		strbuf_fini(&sb);
	}
	assert_int_equal(nfailed, 0);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(outlines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
