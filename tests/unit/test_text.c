/* SPDX-License-Identifier: BSD-2-Clause */
/* Text of any bytes: its columns, where it can be cut, and its escapes. */
#include "tests/unit/unit.h"

#include <string.h>

#include "base/str.h"
#include "consume/consume_impl.h"

static const struct {
	const char *s;
	size_t columns;
} texts[] = {
	{ "", 0 }, { "abc", 3 }, { "gr\303\274\303\237", 4 },
	{ "\346\227\245\346\234\254", 4 }, /* wide */
	{ "\357\274\241", 2 },		   /* full width */
	{ "\357\275\261", 1 },		   /* half width */
	{ "\360\237\230\200", 2 },	   /* emoji */
	{ "e\314\201", 1 },		   /* combines */
	{ "\342\200\213a", 1 },		   /* no width */
	{ "\302\255", 1 },		   /* soft hyphen */
	{ "\341\204\200\341\205\241", 2 }, /* joined Hangul */
	{ "\343\200\277", 1 },		   /* not wide among wide */
	{ "\360\257\277\275", 2 },	   /* last of a wide block */
	{ "\377\376", 2 },		   /* no UTF-8 */
	{ "\346\227", 2 },		   /* cut off */
	{ "\355\240\200", 3 },		   /* a surrogate */
	{ "\300\257", 2 },		   /* overlong */
	{ "\364\220\200\200", 4 },	   /* beyond Unicode */
};

static void
test_columns(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *s = texts[i].s;
		size_t len = strlen(s), n = texts[i].columns;

		assert_int_equal(utf8_columns(s, len), n);
		assert_int_equal(utf8_fit(s, len, n), len);
		if (n > 0)
			assert_true(utf8_fit(s, len, n - 1) < len);
	}
	/* what combines belongs to the last character that fits */
	assert_int_equal(utf8_fit("e\314\201x", 4, 1), 3);
	assert_int_equal(utf8_fit("a\346\227\245", 4, 2), 1);
	assert_int_equal(utf8_cut("a\346\227\245", 3), 1);
	assert_int_equal(utf8_cut("a\377\277", 3), 3);
}

static void
test_escapes(void **state)
{
	static const char text[] =
	    "a\n\t\033\r\177\0\303\251\302\233\377\346\227";
	struct strbuf sb = { 0 };

	(void)state;
	out_visible(&sb, text, sizeof(text) - 1);
	assert_string_equal(sb.s,
	    "a\n\t\\033\\r\\177\\0\303\251"
	    "\\302\\233\\377\\346\\227");
	strbuf_reset(&sb);
	out_escape(&sb, text, sizeof(text) - 1, utf8_printable);
	assert_string_equal(sb.s,
	    "a\\n\\t\\033\\r\\177\\0\303\251"
	    "\\302\\233\\377\\346\\227");
	strbuf_fini(&sb);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_escapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
