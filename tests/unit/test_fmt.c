/* SPDX-License-Identifier: BSD-2-Clause */
/* printf formats: which ones parse, and which arguments fit. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "fmt/fmt.h"

#define MAX_ARGS 4

static const struct check_case {
	const char *fmt;
	const char *kinds; /* i e s b k y p f: enum pf_argkind */
	bool is_printa;
	const char *tag;  /* NULL: accepted */
	const char *says; /* a part of the message */
} check_cases[] = {
	{ "hello\n", "", false, NULL, NULL },
	{ "%d %s\n", "is", false, NULL, NULL },
	{ "%d%%", "i", false, NULL, NULL },
	{ "%-+ #0'10.3lld", "i", false, NULL, NULL },
	{ "%hd%hi%ho%hu", "iiii", false, NULL, NULL },
	{ "%hhx%llX%lc%ls", "iiib", false, NULL, NULL },
	{ "%*.*s", "iis", false, NULL, NULL },
	{ "%a%A%p%p", "ppip", false, NULL, NULL },
	{ "%c%C%wc", "iii", false, NULL, NULL },
	{ "%S%ws%s", "sbb", false, NULL, NULL },
	{ "%Le%lf%Lg%G", "ffff", false, NULL, NULL },
	{ "%E%f%e", "fff", false, NULL, NULL },
	{ "%I%P%T%Y", "siii", false, NULL, NULL },
	{ "%k", "k", false, NULL, NULL },
	{ "%a", "y", true, NULL, NULL },
	{ "%s %@d\n", "s", true, NULL, NULL },
	{ "%@u%@x%@X%@o", "si", true, NULL, NULL },
	{ "%@8d", "s", true, NULL, NULL },
	{ "%8@d%-8@d%@T%@Y", "s", true, NULL, NULL },
	{ "%?x%-?p%0?d", "ipi", false, NULL, NULL },
	{ "%s%S%ls%d", "eeee", false, NULL, NULL },
	{ "%x%c%p%a", "eeee", false, NULL, NULL },
	{ "%*s", "es", false, NULL, NULL },
	{ "%ws", "e", false, "D_PRINTF_ARG_TYPE", "enum e" },
	{ "%I", "e", false, "D_PRINTF_ARG_TYPE", "enum e" },
	{ "", "", false, "D_PRINTF_FMT_EMPTY", "empty" },
	{ "%", "", false, "D_SYNTAX", "ends within" },
	{ "%10.", "i", false, "D_SYNTAX", "ends within" },
	{ "%lld %q", "ii", false, "D_SYNTAX", "'%q'" },
	{ "%1$d", "i", false, "D_SYNTAX", "by position" },
	{ "%Ld", "i", false, "D_SYNTAX", "modifier 'L'" },
	{ "%hs", "s", false, "D_SYNTAX", "modifier 'h'" },
	{ "%n", "i", false, "D_SYNTAX", "'%n'" },
	{ "%9999999d", "i", false, "D_SYNTAX", "more than 1048576" },
	{ "%.9999999d", "i", false, "D_SYNTAX", "more than 1048576" },
	{ "%d", "", false, "D_PRINTF_ARG_PROTO", "no argument is left" },
	{ "%d", "", true, "D_PRINTF_ARG_PROTO", "no key is left" },
	{ "%d", "s", false, "D_PRINTF_ARG_TYPE", "argument 2 has type string" },
	{ "%d %s", "ii", false, "D_PRINTF_ARG_TYPE", "argument 3" },
	{ "%d", "s", true, "D_PRINTF_ARG_TYPE", "key 1 has type string" },
	{ "%s", "i", false, "D_PRINTF_ARG_TYPE", "needs a string" },
	{ "%k", "i", false, "D_PRINTF_ARG_TYPE", "needs a stack" },
	{ "%f", "i", false, "D_PRINTF_ARG_TYPE", "floating-point" },
	{ "%d", "ii", false, "D_PRINTF_ARG_EXTRA", "takes 1 argument," },
	{ "hi", "i", false, "D_PRINTF_ARG_EXTRA", "takes 0 arguments" },
	{ "%s", "ss", true, NULL, NULL },
	{ "%@d", "", false, "D_PRINTF_AGG_CONV", "printa() only" },
	{ "%@s", "s", true, "D_PRINTF_AGG_CONV", "%@d" },
	{ "%*d", "", false, "D_PRINTF_DYN_PROTO", "field width" },
	{ "%.*d", "", false, "D_PRINTF_DYN_PROTO", "precision" },
	{ "%*d", "si", false, "D_PRINTF_DYN_TYPE", "argument 2" },
	{ "%.*d", "si", false, "D_PRINTF_DYN_TYPE", "precision" },
};

static size_t
arg_kinds(const char *letters, enum pf_argkind *kinds, const char **types)
{
	static const char order[] = "iesbkypf";
	static const char *const names[] = { "int", "enum e", "string",
		"char [8]", "stack", "_symaddr", "void *", "double" };
	size_t n = strlen(letters);

	for (size_t i = 0; i < n; i++) {
		size_t kind = (size_t)(strchr(order, letters[i]) - order);

		kinds[i] = (enum pf_argkind)kind;
		types[i] = names[kind];
	}
	return n;
}

static void
test_check(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(check_cases) / sizeof(check_cases[0]);
	     i++) {
		const struct check_case *cc = &check_cases[i];
		enum pf_argkind kinds[MAX_ARGS];
		const char *types[MAX_ARGS], *tag;
		struct err err = { 0 };
		size_t n = arg_kinds(cc->kinds, kinds, types);

		tag =
		    printf_check(cc->fmt, cc->is_printa, kinds, types, n, &err);
		if (cc->tag == NULL) {
			if (tag != NULL)
				fail_msg(
				    "\"%s\": %s: %s", cc->fmt, tag, err.text);
			continue;
		}
		if (tag == NULL)
			fail_msg("\"%s\" was accepted", cc->fmt);
		assert_string_equal(tag, cc->tag);
		if (strstr(err.text, cc->says) == NULL)
			fail_msg("\"%s\": message is: %s", cc->fmt, err.text);
		err_clear(&err);
	}
}

static void
test_parse_fields(void **state)
{
	const char *tag;
	struct err err = { 0 };
	struct pf_format *pf = pf_parse("a%%b%-08.3hhXc%*ws!", &tag, &err);
	struct pf_conv *pc;

	(void)state;
	assert_non_null(pf);
	assert_int_equal(pf->convs.n, 3);
	pc = &pf->convs.v[0];
	assert_string_equal(pc->prefix, "a%b");
	assert_string_equal(pc->conv, "X");
	assert_string_equal(pc->mod, "hh");
	assert_true(pc->left && pc->zero && !pc->plus);
	assert_int_equal(pc->width, 8);
	assert_int_equal(pc->prec, 3);
	pc = &pf->convs.v[1];
	assert_string_equal(pc->prefix, "c");
	assert_string_equal(pc->conv, "ws");
	assert_true(pc->width_star);
	assert_int_equal(pc->prec, -1);
	pc = &pf->convs.v[2];
	assert_string_equal(pc->prefix, "!");
	assert_string_equal(pc->conv, "");
	assert_null(pc->info);
	pf_destroy(pf);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_parse_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
