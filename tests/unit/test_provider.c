/* SPDX-License-Identifier: BSD-2-Clause */
/* Providers: the probes that a description selects, their ids, and periods. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "provider/cpc.h"
#include "provider/provider.h"

#define NELEM(a) (sizeof(a) / sizeof((a)[0]))

/* A description from "prov:mod:func:name"; missing fields are missing on the
 * left. */
struct desc {
	struct dif_pdesc d;
	char *text;
};

static void
desc_init(struct desc *desc, const char *text)
{
	char *fields[4] = { NULL };
	size_t n = 1;

	memset(desc, 0, sizeof(*desc));
	desc->text = mem_strdup(text);
	fields[0] = desc->text;
	for (char *p = desc->text; *p != '\0'; p++) {
		if (*p != ':')
			continue;
		*p = '\0';
		assert_true(n < 4);
		fields[n++] = p + 1;
	}
	desc->d.name = fields[n - 1];
	desc->d.func = n > 1 ? fields[n - 2] : NULL;
	desc->d.mod = n > 2 ? fields[n - 3] : NULL;
	desc->d.prov = n > 3 ? fields[n - 4] : NULL;
}

struct found {
	VEC(const struct dt_probe *) probes;
};

static int
collect(const struct dt_probe *p, void *arg)
{
	struct found *found = arg;

	VEC_PUSH(&found->probes, p);
	return 0;
}

static int
match(struct dt_registry *r, const char *text, struct found *found,
    struct err *err)
{
	struct desc desc;
	int rc;

	memset(found, 0, sizeof(*found));
	err_clear(err);
	desc_init(&desc, text);
	rc = dt_registry_match(r, &desc.d, collect, found, err);
	free(desc.text);
	return rc;
}

static uint32_t
id_of(struct dt_registry *r, const char *text)
{
	struct found found;
	uint32_t id;
	struct err err = { 0 };

	assert_int_equal(match(r, text, &found, &err), 1);
	id = found.probes.v[0]->id;
	VEC_FREE(&found.probes);
	return id;
}

/* The names of all found probes, separated by blanks. */
static void
join_found(const struct found *found, struct strbuf *out)
{
	strbuf_adds(out, "");
	VEC_FOREACH(&found->probes, p) {
		if (out->len != 0)
			strbuf_addc(out, ' ');
		dt_probe_format(*p, out);
	}
}

#define SYS(f, n) "syscall:vmlinux:" f ":" n

static const struct {
	const char *desc, *probes;
} matches[] = {
	{ "BEGIN", "dtrace:::BEGIN" },
	{ "END", "dtrace:::END" },
	{ "dtrace:::", "dtrace:::BEGIN dtrace:::END dtrace:::ERROR" },
	{ "E*", "dtrace:::END dtrace:::ERROR" },
	{ "dtrace::x:BEGIN", "" },
	{ "syscall:::BEGIN", "" },
	{ "begin", "" },
	{ "syscall::read:entry", SYS("read", "entry") },
	{ "read:entry", SYS("read", "entry") },
	{ "vmlinux:read:return", SYS("read", "return") },
	{ "nosuch:read:return", "" },
	{ "read:", SYS("read", "entry") " " SYS("read", "return") },
	{ "sys*:vm*:pread?4:[!r]*", SYS("pread64", "entry") },
	{ "syscall::openat*:entry",
	    SYS("openat", "entry") " " SYS("openat2", "entry") },
	{ "syscall::[a-b]??ept:e*", SYS("accept", "entry") },
	{ "syscall::nosuch:entry", "" },
	/* the tracepoint's name also means the call */
	{ "syscall::newfstat:entry", SYS("fstat", "entry") },
	{ "syscall::newuname:return", SYS("uname", "return") },
	{ "syscall::newun*:entry", "" },
	{ "syscall::fstat:entry", SYS("fstat", "entry") },
	/* calls of 32-bit processes only */
	{ "syscall::waitpid:entry", SYS("waitpid", "entry") },
	{ "syscall::socketcall:",
	    SYS("socketcall", "entry") " " SYS("socketcall", "return") },
	{ "syscall::umount:entry",
	    SYS("umount2", "entry") " " SYS("umount", "entry") },
	{ "syscall::sendfile64:entry",
	    SYS("sendfile", "entry") " " SYS("sendfile64", "entry") },
	/* calls without a tracepoint */
	{ "syscall::rt_sigreturn:entry", SYS("rt_sigreturn", "entry") },
	{ "syscall::modify_ldt:entry", SYS("modify_ldt", "entry") },
	{ "profile-997", "profile:::profile-997" },
	{ "profile:::tick-?", "profile:::tick-1" },
	{ "profile:::tick-*",
	    "profile:::tick-1 profile:::tick-10 profile:::tick-100 "
	    "profile:::tick-500 profile:::tick-1000 profile:::tick-5000" },
	{ "tick-7s", "profile:::tick-7s" },
	{ "profile:::tick-7S", "profile:::tick-7S" },
	{ "profile-333us", "profile:::profile-333us" },
	{ "profile:::profile-200us", "profile:::profile-200us" },
	{ "syscall:::tick-7s", "" },
	{ "profile::x:tick-7s", "" },
	{ "tick-start", "" }, /* may be another provider's probe */
	{ "tick-", "" },
	{ "nosuch:::", "" },
};

static void
test_match(void **state)
{
	(void)state;
	for (size_t i = 0; i < NELEM(matches); i++) {
		struct dt_registry *r = dt_registry_create();
		struct strbuf sb = { 0 };
		struct found found;
		struct err err = { 0 };
		int n = match(r, matches[i].desc, &found, &err);

		join_found(&found, &sb);
		if (strcmp(sb.s, matches[i].probes) != 0)
			fail_msg("%s matches '%s', not '%s'", matches[i].desc,
			    sb.s, matches[i].probes);
		assert_int_equal(n, found.probes.n);
		strbuf_fini(&sb);
		VEC_FREE(&found.probes);
		dt_registry_destroy(r);
	}
}

static const struct {
	const char *desc;
	int err;
	const char *reason; /* part of the message */
} refusals[] = {
	{ "profile-5001", -ERANGE, "too fast" },
	{ "tick-199us", -ERANGE, "200us" },
	{ "tick-0s", -ERANGE, "too fast" },
	{ "tick-0", -ERANGE, "out of range" },
	{ "tick-99999999999999999999s", -ERANGE, "out of range" },
	{ "tick-999999d", -ERANGE, "out of range" },
	{ "profile:::tick-start", -EINVAL, "units" },
	{ "profile:::profile-10parsec", -EINVAL, "profile-10parsec" },
};

static void
test_refusals(void **state)
{
	(void)state;
	for (size_t i = 0; i < NELEM(refusals); i++) {
		struct dt_registry *r = dt_registry_create();
		struct found found;
		struct err err = { 0 };

		assert_int_equal(
		    match(r, refusals[i].desc, &found, &err), refusals[i].err);
		assert_non_null(err.text);
		assert_non_null(strstr(err.text, refusals[i].reason));
		assert_int_equal(found.probes.n, 0);
		err_clear(&err);
		dt_registry_destroy(r);
	}
}

static const struct {
	const char *text;
	int rc;
	uint64_t as_rate, as_time; /* unit hz by default; unit ns by default */
} periods[] = {
	{ "997", 0, 1003009, 997 },
	{ "1", 0, 1000000000, 1 },
	{ "97hz", 0, 10309278, 10309278 },
	{ "97HZ", 0, 10309278, 10309278 },
	{ "5ns", 0, 5, 5 },
	{ "5nsec", 0, 5, 5 },
	{ "5us", 0, 5000, 5000 },
	{ "5uSec", 0, 5000, 5000 },
	{ "10ms", 0, 10000000, 10000000 },
	{ "10msec", 0, 10000000, 10000000 },
	{ "1s", 0, 1000000000, 1000000000 },
	{ "1sec", 0, 1000000000, 1000000000 },
	{ "2m", 0, 120000000000, 120000000000 },
	{ "2min", 0, 120000000000, 120000000000 },
	{ "1h", 0, 3600000000000, 3600000000000 },
	{ "1hour", 0, 3600000000000, 3600000000000 },
	{ "1d", 0, 86400000000000, 86400000000000 },
	{ "1Day", 0, 86400000000000, 86400000000000 },
	{ "0s", 0, 0, 0 },
	{ "106751d", 0, 9223286400000000000, 9223286400000000000 },
	{ "106752d", -ERANGE, 0, 0 },
	{ "0hz", -ERANGE, 0, 0 },
	{ "1000000001hz", -ERANGE, 0, 0 },
	{ "18446744073709551616ns", -ERANGE, 0, 0 },
	{ "", -EINVAL, 0, 0 },
	{ "s", -EINVAL, 0, 0 },
	{ "-1s", -EINVAL, 0, 0 },
	{ "+1", -EINVAL, 0, 0 },
	{ " 1", -EINVAL, 0, 0 },
	{ "1 s", -EINVAL, 0, 0 },
	{ "1.5s", -EINVAL, 0, 0 },
	{ "1secs", -EINVAL, 0, 0 },
	{ "0x10", -EINVAL, 0, 0 },
};

static void
test_periods(void **state)
{
	(void)state;
	for (size_t i = 0; i < NELEM(periods); i++) {
		const char *text = periods[i].text;
		uint64_t rate = 0, time = 0;

		assert_int_equal(
		    dt_parse_period(text, true, &rate), periods[i].rc);
		assert_int_equal(
		    dt_parse_period(text, false, &time), periods[i].rc);
		assert_int_equal(rate, periods[i].as_rate);
		assert_int_equal(time, periods[i].as_time);
	}
}

static const struct {
	const char *name;
	enum dt_flow flow;
} flows[] = {
	{ "entry", DT_FLOW_ENTRY },
	{ "return", DT_FLOW_RETURN },
	{ "gc-entry", DT_FLOW_ENTRY },
	{ "gc-return", DT_FLOW_RETURN },
	{ "noentry", DT_FLOW_NONE },
	{ "entry-point", DT_FLOW_NONE },
	{ "return-", DT_FLOW_NONE },
	{ "BEGIN", DT_FLOW_NONE },
	{ "", DT_FLOW_NONE },
};

static void
test_flow(void **state)
{
	(void)state;
	for (size_t i = 0; i < NELEM(flows); i++) {
		struct dt_probe p = { .name = flows[i].name };

		assert_int_equal(dt_probe_flow(&p), flows[i].flow);
	}
}

/* A probe that was matched before keeps its id; fixed ids start at 1. */
static void
test_ids(void **state)
{
	static const char *const descs[] = { "BEGIN", "END", "ERROR",
		"syscall::read:entry", "syscall::waitpid:return",
		"syscall::exit_group:entry", "profile-997", "tick-1" };
	struct dt_registry *a = dt_registry_create();
	struct dt_registry *b = dt_registry_create();
	struct found found;
	struct err err = { 0 };

	(void)state;
	assert_true(match(b, ":::", &found, &err) > 700);
	VEC_FREE(&found.probes);
	(void)id_of(b, "tick-7s");
	for (size_t i = NELEM(descs); i-- > 0;)
		assert_int_equal(id_of(a, descs[i]), id_of(b, descs[i]));
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(id_of(a, descs[i]), i + 1);
	dt_registry_destroy(a);
	dt_registry_destroy(b);
}

/* An id from a full listing finds the same probe in a new registry. */
static void
test_by_id(void **state)
{
	struct dt_registry *a = dt_registry_create();
	struct dt_registry *b = dt_registry_create();
	struct found found;
	uint32_t last = 0;
	struct err err = { 0 };

	(void)state;
	match(a, ":::", &found, &err);
	VEC_FOREACH(&found.probes, pp) {
		const struct dt_probe *p = dt_registry_by_id(b, (*pp)->id);
		struct dif_pdesc desc = { .id = (*pp)->id };
		struct found one = { 0 };

		assert_true((*pp)->id > last);
		last = (*pp)->id;
		assert_non_null(p);
		assert_string_equal(p->func, (*pp)->func);
		assert_string_equal(p->name, (*pp)->name);
		assert_int_equal(p->group, (*pp)->group);
		assert_int_equal(
		    dt_registry_match(b, &desc, collect, &one, &err), 1);
		assert_ptr_equal(one.probes.v[0], p);
		VEC_FREE(&one.probes);
	}
	VEC_FREE(&found.probes);
	assert_null(dt_registry_by_id(b, 0));
	assert_null(dt_registry_by_id(b, last + 1));
	assert_null(dt_registry_by_id(b, UINT32_MAX));
	dt_registry_destroy(a);
	dt_registry_destroy(b);
}

/* A probe on demand is created once; patterns match it from then on. */
static void
test_on_demand(void **state)
{
	struct dt_registry *r = dt_registry_create();
	uint32_t id = id_of(r, "tick-7s"), other = id_of(r, "tick-8s");
	const struct dt_probe *p = dt_registry_by_id(r, id);
	struct found found;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(id_of(r, "profile:::tick-7s"), id);
	assert_int_equal(other, id + 1);
	assert_int_equal(p->kind, DT_PROBE_RUN);
	assert_int_equal(p->period_ns, 7000000000);
	assert_int_not_equal(p->group, dt_registry_by_id(r, other)->group);
	assert_int_equal(match(r, "tick-*", &found, &err), 8);
	assert_ptr_equal(found.probes.v[6], p);
	VEC_FREE(&found.probes);
	dt_registry_destroy(r);
}

/* Thousands of probes on demand are all found again, by name and by number. */
static void
test_many_on_demand(void **state)
{
	struct dt_registry *r = dt_registry_create();
	struct dt_probe tmpl = { .ops = &dt_provider_profile,
		.mod = "",
		.func = "",
		.name = "entry" };
	const uint32_t n = 20000;
	uint32_t first = 0;

	(void)state;
	for (uint32_t turn = 0; turn < 2; turn++) {
		for (uint32_t i = 0; i < n; i++) {
			char prov[16];
			const struct dt_probe *p;

			snprintf(prov, sizeof(prov), "pid%u", i);
			tmpl.prov = prov;
			p = dt_registry_add(r, &tmpl);
			if (turn == 0 && i == 0)
				first = p->id;
			assert_int_equal(p->id, first + i);
			assert_string_equal(p->prov, prov);
			assert_ptr_equal(dt_registry_by_id(r, p->id), p);
		}
	}
	assert_null(dt_registry_by_id(r, first + n));
	dt_registry_destroy(r);
}

static int
stop_at_second(const struct dt_probe *p, void *arg)
{
	int *n = arg;

	(void)p;
	return ++*n == 2 ? 42 : 0;
}

static void
test_stop(void **state)
{
	struct dt_registry *r = dt_registry_create();
	struct dif_pdesc desc = { 0 };
	struct err err = { 0 };
	int n = 0;

	(void)state;
	assert_int_equal(
	    dt_registry_match(r, &desc, stop_at_second, &n, &err), 42);
	assert_int_equal(n, 2);
	dt_registry_destroy(r);
}

/* Each number in the system call tables belongs to one name, and is in
 * range. */
static void
test_indexes(void **state)
{
	const char *owner[DT_SYSCALL_NINDEX] = { NULL };
	struct dt_registry *r = dt_registry_create();
	struct found found;
	struct err err = { 0 };

	(void)state;
	match(r, "syscall:::entry", &found, &err);
	VEC_FOREACH(&found.probes, pp) {
		const struct dt_probe *p = *pp;

		assert_true(p->index < DT_SYSCALL_NINDEX);
		assert_null(owner[p->index]);
		owner[p->index] = p->func;
		if (p->compat_index == 0)
			continue;
		assert_true(p->index < DT_SYSCALL_COMPAT);
		assert_in_range(
		    p->compat_index, DT_SYSCALL_COMPAT, DT_SYSCALL_NINDEX - 1);
		assert_null(owner[p->compat_index]);
		owner[p->compat_index] = p->func;
	}
	assert_string_equal(owner[0], "read");
	assert_string_equal(owner[231], "exit_group");
	assert_string_equal(owner[DT_SYSCALL_COMPAT + 0], "restart_syscall");
	assert_string_equal(owner[DT_SYSCALL_COMPAT + 3], "read");
	assert_string_equal(owner[DT_SYSCALL_COMPAT + 7], "waitpid");
	/* every 64-bit number but the gap up to 424 is a call */
	for (uint32_t nr = 0; nr <= 450; nr++) {
		if (nr <= 334 || nr >= 424)
			assert_non_null(owner[nr]);
	}
	/* as is every 32-bit number but these, which i386 does not use */
	for (uint32_t nr = 0; nr <= 450; nr++) {
		bool is_gap = nr == 222 || nr == 223 || nr == 251 ||
		    nr == 285 || nr == 415 || (nr >= 387 && nr <= 392);

		if (!is_gap)
			assert_non_null(owner[DT_SYSCALL_COMPAT + nr]);
	}
	VEC_FREE(&found.probes);
	dt_registry_destroy(r);
}

static void
test_arg_types(void **state)
{
	struct dt_registry *r = dt_registry_create();
	const struct dt_probe *p;
	const char *const *types;

	(void)state;
	p = dt_registry_by_id(r, id_of(r, "syscall::openat:entry"));
	types = p->ops->arg_types(p);
	assert_string_equal(types[0], "int");
	assert_string_equal(types[1], "const char *");
	assert_string_equal(types[3], "umode_t");
	assert_null(types[4]);
	p = dt_registry_by_id(r, id_of(r, "syscall::openat:return"));
	types = p->ops->arg_types(p);
	assert_string_equal(types[1], "long");
	assert_null(types[2]);
	p = dt_registry_by_id(r, id_of(r, "syscall::getpid:entry"));
	assert_null(p->ops->arg_types(p));
	p = dt_registry_by_id(r, id_of(r, "syscall::waitpid:entry"));
	assert_null(p->ops->arg_types(p));
	dt_registry_destroy(r);
}

/* Five attributes for each provider. */
static void
test_attrs(void **state)
{
	static const struct dt_provider_ops *const all[] = {
		&dt_provider_dtrace, &dt_provider_syscall, &dt_provider_profile
	};

	(void)state;
	for (size_t i = 0; i < NELEM(all); i++) {
		for (size_t c = 0; c < 5; c++)
			assert_non_null(strstr(all[i]->attrs[c], "/Common"));
	}
}

/* Types and configurations as perf_event_open(2) numbers them. */
static const struct {
	const char *name;
	uint32_t type;
	uint64_t config, period;
	bool no_kernel, no_user;
} counters[] = {
	{ "alignment_faults-all-1", 1, 7, 1, false, false },
	{ "context_switches-kernel-2", 1, 3, 2, false, true },
	{ "cpu_clock-user-200000", 1, 0, 200000, true, false },
	{ "cpu_migrations-all-1", 1, 4, 1, false, false },
	{ "emulation_faults-all-1", 1, 8, 1, false, false },
	{ "major_faults-all-1", 1, 6, 1, false, false },
	{ "minor_faults-all-1", 1, 5, 1, false, false },
	{ "page_faults-all-1", 1, 2, 1, false, false },
	{ "task_clock-all-200000", 1, 1, 200000, false, false },
	{ "branch_instructions-all-5000", 0, 4, 5000, false, false },
	{ "branch_misses-all-5000", 0, 5, 5000, false, false },
	{ "bus_cycles-all-5000", 0, 6, 5000, false, false },
	{ "cache_misses-all-5000", 0, 3, 5000, false, false },
	{ "cache_references-all-5000", 0, 2, 5000, false, false },
	{ "cpu_cycles-all-5000", 0, 0, 5000, false, false },
	{ "instructions-all-5000", 0, 1, 5000, false, false },
	{ "ref_cycles-all-5000", 0, 9, 5000, false, false },
	{ "stalled_cycles_backend-all-5000", 0, 8, 5000, false, false },
	{ "stalled_cycles_frontend-all-5000", 0, 7, 5000, false, false },
	{ "PAPI_br_ins-all-5000", 0, 4, 5000, false, false },
	{ "PAPI_br_msp-all-5000", 0, 5, 5000, false, false },
	{ "PAPI_l3_tca-all-5000", 0, 2, 5000, false, false },
	{ "PAPI_l3_tcm-all-5000", 0, 3, 5000, false, false },
	{ "PAPI_ref_cyc-all-5000", 0, 9, 5000, false, false },
	{ "PAPI_res_stl-all-5000", 0, 8, 5000, false, false },
	{ "PAPI_tot_cyc-user-5000", 0, 0, 5000, true, false },
	{ "PAPI_tot_ins-kernel-9223372036854775807", 0, 1, INT64_MAX, false,
	    true },
};

static void
test_counters(void **state)
{
	(void)state;
	for (size_t i = 0; i < NELEM(counters); i++) {
		struct perf_event_attr attr;
		struct err err = { 0 };

		assert_int_equal(
		    dt_cpc_parse(counters[i].name, &attr, &err), 0);
		assert_int_equal(attr.type, counters[i].type);
		assert_int_equal(attr.config, counters[i].config);
		assert_int_equal(attr.sample_period, counters[i].period);
		assert_int_equal(attr.exclude_kernel, counters[i].no_kernel);
		assert_int_equal(attr.exclude_user, counters[i].no_user);
	}
}

/* Names that are no counters, and parts of the messages. */
static const struct {
	const char *name, *says;
} no_counters[] = {
	{ "", "EVENT-MODE-COUNT" },
	{ "-", "EVENT-MODE-COUNT" },
	{ "--", "EVENT-MODE-COUNT" },
	{ "page_faults", "EVENT-MODE-COUNT" },
	{ "page_faults-all", "EVENT-MODE-COUNT" },
	{ "page_faults-none-1", "EVENT-MODE-COUNT" },
	{ "-all-1", "EVENT-MODE-COUNT" },
	{ "all-1", "EVENT-MODE-COUNT" },
	{ "page_faults-all-", "count" },
	{ "page_faults-all-0", "from 1 to" },
	{ "page_faults-all- 1", "count" },
	{ "page_faults-all-+1", "count" },
	{ "page_faults-all-1x", "count" },
	{ "page_faults-all-9223372036854775808", "count" },
	{ "page_faults-all-18446744073709551617", "count" },
	{ "cpu_clock-all-199999", "from 200000 to" },
	{ "task_clock-all-199999", "from 200000 to" },
	{ "cpu_cycles-all-4999", "from 5000 to" },
	{ "page_faults-all-ff-1", "mask" },
	{ "page_faults-all-0-1", "mask" },
	{ "page_faults-all-100-1", "00 to ff" },
	{ "page_faults-all-0x-1", "mask" },
	{ "page_faults-all--1", "mask" },
	{ "no_such_event-all-5000", "no_such_event" },
};

static void
test_no_counters(void **state)
{
	(void)state;
	for (size_t i = 0; i < NELEM(no_counters); i++) {
		struct perf_event_attr attr;
		struct err err = { 0 };

		assert_int_equal(
		    dt_cpc_parse(no_counters[i].name, &attr, &err), -EINVAL);
		assert_non_null(strstr(err.text, no_counters[i].says));
		err_clear(&err);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_match),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_periods),
		cmocka_unit_test(test_flow),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_by_id),
		cmocka_unit_test(test_on_demand),
		cmocka_unit_test(test_many_on_demand),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_indexes),
		cmocka_unit_test(test_arg_types),
		cmocka_unit_test(test_attrs),
		cmocka_unit_test(test_counters),
		cmocka_unit_test(test_no_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
