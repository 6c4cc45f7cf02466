/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The published API: records and rows as typed values, and messages of the
 * compiler with their places.
 */
#include "api_session.h"

#include <stdarg.h>
#include <stdio.h>

/* The events of a session as text, in a short notation. */
struct told {
	char text[2048];
	int aborts_at; /* 0: never */
	int n;
};

static void __attribute__((format(printf, 2, 3)))
add(struct told *t, const char *fmt, ...)
{
	size_t len = strlen(t->text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(t->text + len, sizeof(t->text) - len, fmt, ap);
	va_end(ap);
}

static void
add_value(struct told *t, const dtrace_value_t *val)
{
	if (val->dtva_name != NULL)
		add(t, "%s=", val->dtva_name);
	switch (val->dtva_kind) {
	case DTRACE_VALUE_NONE:
		add(t, "none");
		break;
	case DTRACE_VALUE_INT:
		add(t, "%lld", (long long)val->dtva_int);
		break;
	case DTRACE_VALUE_UINT:
		add(t, "%lluU", (unsigned long long)val->dtva_uint);
		break;
	case DTRACE_VALUE_BOOL:
		add(t, "%s", val->dtva_uint != 0 ? "true" : "false");
		break;
	case DTRACE_VALUE_ENUM:
		add(t, "%s/%lld", val->dtva_data != NULL ? val->dtva_data : "?",
		    (long long)val->dtva_int);
		break;
	case DTRACE_VALUE_FLOAT:
		add(t, "%g", val->dtva_float);
		break;
	case DTRACE_VALUE_STRING:
		assert_int_equal(strlen(val->dtva_data), val->dtva_size);
		add(t, "'%s'", val->dtva_data);
		break;
	case DTRACE_VALUE_BYTES:
		add(t, "%zu bytes", val->dtva_size);
		break;
	case DTRACE_VALUE_ARRAY:
	case DTRACE_VALUE_STRUCT:
		add(t, "{");
		for (uint32_t i = 0; i < val->dtva_count; i++) {
			add(t, "%s", i > 0 ? " " : "");
			add_value(t, &val->dtva_elems[i]);
		}
		add(t, "}");
		break;
	case DTRACE_VALUE_STACK:
	case DTRACE_VALUE_USTACK:
		assert_true(val->dtva_count > 0);
		add(t, "%s", val->dtva_type);
		break;
	case DTRACE_VALUE_ADDRESS:
	case DTRACE_VALUE_UADDRESS:
		assert_int_equal(val->dtva_count, 1);
		add(t, "%s", val->dtva_frames->dtfr_symbol);
		break;
	}
}

static void
add_record(struct told *t, const dtrace_event_t *ev)
{
	add(t, "%s:", ev->dtev_probe->dtpda_pdesc->dtpd_name);
	for (uint32_t i = 0; i < ev->dtev_nactions; i++) {
		const dtrace_action_t *act = &ev->dtev_actions[i];

		add(t, " %s(", act->dtac_name);
		for (uint32_t k = 0; k < act->dtac_count; k++) {
			add(t, "%s", k > 0 ? ", " : "");
			add_value(t, &act->dtac_values[k]);
		}
		add(t, ")");
		if (act->dtac_format != NULL)
			add(t, "\"%s\"", act->dtac_text);
	}
	add(t, "\n");
}

static void
add_amount(struct told *t, const dtrace_aggvalue_t *val)
{
	add(t, " %s %s/%llu ", val->dtav_name, val->dtav_function,
	    (unsigned long long)val->dtav_normal);
	if (val->dtav_value.dtva_kind != DTRACE_VALUE_NONE)
		add_value(t, &val->dtav_value);
	for (uint32_t i = 0; i < val->dtav_nbuckets; i++) {
		const dtrace_bucket_t *b = &val->dtav_buckets[i];

		add(t, "[");
		if (b->dtbu_has_min)
			add(t, "%lld", (long long)b->dtbu_min);
		add(t, "..");
		if (b->dtbu_has_max)
			add(t, "%lld", (long long)b->dtbu_max);
		add(t, "]%lld", (long long)b->dtbu_count);
	}
}

static void
add_row(struct told *t, const dtrace_event_t *ev)
{
	add(t, "row of %s:",
	    ev->dtev_probe != NULL ? ev->dtev_probe->dtpda_pdesc->dtpd_name :
				     "none");
	for (uint32_t i = 0; i < ev->dtev_nkeys; i++) {
		add(t, " ");
		add_value(t, &ev->dtev_keys[i]);
	}
	for (uint32_t i = 0; i < ev->dtev_nvalues; i++)
		add_amount(t, &ev->dtev_values[i]);
	if (ev->dtev_text != NULL)
		add(t, " \"%s\"", ev->dtev_text);
	add(t, "\n");
}

static int
tell(const dtrace_event_t *ev, void *arg)
{
	struct told *t = arg;

	assert_non_null(ev->dtev_handle);
	if (ev->dtev_kind == DTRACE_EVENT_RECORD)
		add_record(t, ev);
	else
		add_row(t, ev);
	return ++t->n == t->aborts_at ? DTRACE_HANDLE_ABORT : DTRACE_HANDLE_OK;
}

static int
no_datum(const dtrace_probedata_t *data, const dtrace_recdesc_t *rec, void *arg)
{
	(void)data;
	(void)rec;
	(void)arg;
	fail_msg("a handler of events gets the data");
	return DTRACE_CONSUME_THIS;
}

/* Run a program; the events must be these, and no others. */
static void
assert_tells(const char *text, const char *expected)
{
	dtrace_hdl_t *h = open_handle();
	struct told t = { .n = 0 };

	must(h, dtrace_handle_event(h, tell, &t));
	go(h, text);
	assert_int_equal(
	    work(h, NULL, NULL, no_datum, NULL), DTRACE_WORKSTATUS_DONE);
	must(h, dtrace_aggregate_snap(h));
	must(h, dtrace_aggregate_print(h, NULL, NULL));
	assert_string_equal(t.text, expected);
	dtrace_close(h);
}

static void
test_records(void **state)
{
	(void)state;
	assert_tells("BEGIN { trace(-1); trace(\"two\"); trace((uint64_t)3); "
		     "printf(\"%d+%s\", 4, \"f\"); exit(5); }",
	    "BEGIN: trace(-1) trace('two') trace(3U) "
	    "printf(4, 'f')\"4+f\" exit(status=5)\n");
	assert_tells(
	    "struct s { char a[4]; enum e { E1 = 7 } e; _Bool b[2]; int : 8; "
	    "int f : 3; union { short u; }; }; struct s s; "
	    "BEGIN { s.e = E1; s.b[1] = 1; s.f = -2; s.u = 9; print(s); "
	    "exit(0); }",
	    "BEGIN: print({a='' e=E1/7 b={false true} f=-2 u=9}) "
	    "exit(status=0)\n");
	assert_tells("BEGIN { stack(); tracemem(curthread, 3); "
		     "sym((uintptr_t)&`vfs_read); exit(0); }",
	    "BEGIN: stack(stack) tracemem(value=3 bytes) sym(vfs_read) "
	    "exit(status=0)\n");
}

static void
test_rows(void **state)
{
	(void)state;
	assert_tells(
	    "BEGIN { @a[\"k\", 1] = sum(-6); @q = quantize(5); "
	    "@l = lquantize(50, 0, 10, 5); normalize(@a, 3); exit(0); }",
	    "BEGIN: normalize(aggregation='a', operand=3) exit(status=0)\n"
	    "row of none: 'k' 1 a sum/3 -2\n"
	    "row of none: q quantize/1 [4..7]1\n"
	    "row of none: l lquantize/1 [10..]1\n");
	/* what printa() has printed is not given again */
	assert_tells("BEGIN { @a[1] = count(); @b[1] = max(8); "
		     "printa(\"%d %@d\", @a); printa(@a, @b); exit(0); }",
	    "row of BEGIN: 1 a count/1 1U \"1 1\"\n"
	    "row of BEGIN: 1 a count/1 1U b max/1 8\n"
	    "BEGIN: printa(aggregations={'a'}) printa(aggregations={'a' 'b'}) "
	    "exit(status=0)\n");
}

/* Escapes are for terminals, and values are for programs. */
static int
tell_row(const dtrace_aggdata_t *data, void *arg)
{
	const dtrace_aggdata_t **last = arg;

	*last = data;
	return dtrace_aggregate_event(data) == 0 ? DTRACE_AGGWALK_NEXT :
						   DTRACE_AGGWALK_ERROR;
}

/* Rows that a printa() has printed, too; only in a walk, with a handler. */
static void
test_rows_of_walk(void **state)
{
	static const char text[] = "BEGIN { @a[\"k\", 2] = sum(7); "
				   "@b = count(); printa(@a); exit(0); }";
	const dtrace_aggdata_t *last = NULL;
	dtrace_hdl_t *h = open_handle();
	struct told t = { .n = 0 };
	dtrace_aggdata_t stale;
	size_t before;

	(void)state;
	must(h, dtrace_handle_event(h, tell, &t));
	go(h, text);
	assert_int_equal(
	    work(h, NULL, NULL, no_datum, NULL), DTRACE_WORKSTATUS_DONE);
	must(h, dtrace_aggregate_snap(h));
	before = strlen(t.text);
	must(h, dtrace_aggregate_walk_keysorted(h, tell_row, &last));
	assert_string_equal(t.text + before,
	    "row of none: 'k' 2 a sum/1 7\n"
	    "row of none: b count/1 1U\n");
	stale = *last;
	assert_int_equal(dtrace_aggregate_event(&stale), -1);
	assert_int_equal(dtrace_errno(h), EINVAL);
	dtrace_close(h);
	h = open_handle();
	go(h, text);
	assert_int_equal(
	    work(h, stdout, NULL, NULL, NULL), DTRACE_WORKSTATUS_DONE);
	must(h, dtrace_aggregate_snap(h));
	assert_int_equal(
	    dtrace_aggregate_walk_keysorted(h, tell_row, &last), -1);
	assert_int_equal(dtrace_errno(h), EINVAL);
	dtrace_close(h);
}

static void
test_controls(void **state)
{
	dtrace_hdl_t *h = open_handle();
	struct told t = { .n = 0 };

	(void)state;
	must(h, dtrace_setopt(h, "controls", "escape"));
	must(h, dtrace_handle_event(h, tell, &t));
	go(h,
	    "BEGIN { @a[\"\\001\"] = count(); printa(\"%s\", @a); "
	    "printf(\"%s\", \"\\002\"); exit(0); }");
	assert_int_equal(
	    work(h, NULL, NULL, no_datum, NULL), DTRACE_WORKSTATUS_DONE);
	assert_string_equal(t.text,
	    "row of BEGIN: '\001' a count/1 1U \"\001\"\n"
	    "BEGIN: printa(aggregations={'a'}) printf('\002')\"\002\" "
	    "exit(status=0)\n");
	dtrace_close(h);
}

/* An action behind the one whose row ended consuming has no effect. */
static void
test_abort(void **state)
{
	char path[] = "/tmp/test_api_events.XXXXXX", text[200];
	int fd = mkstemp(path);
	dtrace_hdl_t *h = open_handle();
	struct told t = { .aborts_at = 1 };

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	snprintf(text, sizeof(text),
	    "BEGIN { @a[1] = count(); printa(@a); system(\"rm %s\"); }", path);
	must(h, dtrace_setopt(h, "destructive", NULL));
	must(h, dtrace_handle_event(h, tell, &t));
	go(h, text);
	assert_int_equal(
	    work(h, NULL, NULL, no_datum, NULL), DTRACE_WORKSTATUS_ERROR);
	assert_int_equal(dtrace_errno(h), EDT_DIRABORT);
	assert_string_equal(t.text, "row of BEGIN: 1 a count/1 1U\n");
	dtrace_close(h);
	assert_int_equal(unlink(path), 0);
}

static int
skip_second(const dtrace_probedata_t *data, void *arg)
{
	int *n = arg;

	(void)data;
	return ++*n == 2 ? DTRACE_CONSUME_NEXT : DTRACE_CONSUME_THIS;
}

static void
test_answers(void **state)
{
	dtrace_hdl_t *h = open_handle();
	struct told t = { .aborts_at = 2 };
	const char *text = "BEGIN { trace(1); } BEGIN { trace(2); } "
			   "BEGIN { trace(3); } BEGIN { exit(0); }";
	int n = 0;

	(void)state;
	must(h, dtrace_handle_event(h, tell, &t));
	assert_int_equal(dtrace_handle_event(h, tell, &t), -1);
	assert_int_equal(dtrace_errno(h), EALREADY);
	go(h, text);
	assert_int_equal(
	    work(h, NULL, skip_second, NULL, &n), DTRACE_WORKSTATUS_ERROR);
	assert_int_equal(dtrace_errno(h), EDT_DIRABORT);
	assert_string_equal(t.text, "BEGIN: trace(1)\nBEGIN: trace(3)\n");
	dtrace_close(h);

	h = open_handle();
	go(h, text);
	assert_int_equal(dtrace_handle_event(h, tell, &t), -1);
	assert_int_equal(dtrace_errno(h), EDT_ACTIVE);
	dtrace_close(h);
}

/* ---- messages ----------------------------------------------------------- */

static int
note_diag(dtrace_hdl_t *h, const dtrace_diag_t *d, void *arg)
{
	struct told *t = arg;

	assert_non_null(h);
	assert_non_null(d->dtdg_message);
	add(t, "%d %s %s:%u:%u+%u\n", (int)d->dtdg_severity, d->dtdg_tag,
	    d->dtdg_file != NULL ? d->dtdg_file : "", d->dtdg_line,
	    d->dtdg_column, d->dtdg_length);
	return t->aborts_at;
}

static void
test_diags(void **state)
{
	dtrace_hdl_t *h = open_handle();
	struct told t = { .n = 0 };

	(void)state;
	assert_int_equal(dtrace_diag_iter(h, note_diag, &t), 0);
	assert_null(dtrace_program_strcompile(h,
	    "BEGIN\n{\n  trace(nonesuch);\n}\nEND { trace(nor_this); }",
	    DTRACE_PROBESPEC_NAME, 0, 0, NULL));
	assert_int_equal(dtrace_diag_iter(h, note_diag, &t), 0);
	assert_string_equal(
	    t.text, "0 D_IDENT_UNDEF :3:9+8\n0 D_IDENT_UNDEF :5:13+8\n");
	t = (struct told){ .aborts_at = 4 };
	assert_int_equal(dtrace_diag_iter(h, note_diag, &t), 4);
	assert_string_equal(t.text, "0 D_IDENT_UNDEF :3:9+8\n");
	/* another failure has no messages */
	assert_int_equal(dtrace_setopt(h, "nonesuch", "1"), -1);
	assert_int_equal(dtrace_diag_iter(h, note_diag, &t), 0);
	dtrace_close(h);
}

/* A process that a signal ends is reported, once. */
static void
test_notices(void **state)
{
	char *argv[] = { (char[]){ "sh" }, (char[]){ "-c" },
		(char[]){ "kill -SEGV $$" }, NULL };
	dtrace_hdl_t *h = open_handle();
	struct told t = { .n = 0 };
	struct ps_prochandle *p;

	(void)state;
	assert_string_equal(dtrace_notices(h), "");
	must(h, dtrace_handle_event(h, tell, &t));
	p = dtrace_proc_create(h, "sh", argv);
	assert_non_null(p);
	go(h, "END { }");
	dtrace_proc_continue(h, p);
	assert_int_equal(
	    work(h, NULL, NULL, NULL, NULL), DTRACE_WORKSTATUS_DONE);
	assert_non_null(strstr(dtrace_notices(h), "SIGSEGV"));
	assert_string_equal(dtrace_notices(h), "");
	dtrace_close(h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_rows_of_walk),
		cmocka_unit_test(test_controls),
		cmocka_unit_test(test_abort),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_diags),
		cmocka_unit_test(test_notices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
