/* SPDX-License-Identifier: BSD-2-Clause */
/* A policy holds, whichever way a script asks. */
#include "unit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "fleet/budget.h"
#include "fleet/journal.h"
#include "fleet/permit/permit.h"

static uint64_t
all_cpus(uint64_t per_cpu)
{
	return per_cpu * (uint64_t)sysconf(_SC_NPROCESSORS_CONF);
}

static const char *providers[] = { "syscall", "profile", "pid*", "app?", NULL };

static struct fl_author
alice(void)
{
	return (struct fl_author){ .name = "alice",
		.providers = providers,
		.substrates = FL_KERNEL | FL_PROCESS,
		.duration_ns = 600 * FL_SECOND_NS,
		.memory = all_cpus(64U << 20),
		.cpu_permille = 20 };
}

/* ---- sessions ----------------------------------------------------------- */

/* One handle, as an agent has it for a request. */
struct session {
	struct fl_author author;
	struct fl_request rq;
	dtrace_hdl_t *h;
	struct fl_permit *permit;
	struct err err;
};

static void
begin(struct session *s)
{
	int error;

	s->rq.author = &s->author;
	s->h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &error);
	assert_non_null(s->h);
	s->permit = fl_permit_begin(s->h, &s->rq, &s->err);
}

static void
end(struct session *s)
{
	fl_permit_end(s->permit);
	dtrace_close(s->h);
	err_clear(&s->err);
}

/* Compile and check; the library accepts the text. */
static int
check_as(struct session *s, const char *text, dtrace_probespec_t spec)
{
	dtrace_prog_t *p = dtrace_program_strcompile(
	    s->h, text, spec, DTRACE_C_ZDEFS | DTRACE_C_NOLIBS, 0, NULL);

	if (p == NULL)
		fail_msg(
		    "%s: %s", text, dtrace_errmsg(s->h, dtrace_errno(s->h)));
	return fl_permit_program(s->permit, p, &s->err);
}

static void
begun(struct session *s)
{
	begin(s);
	if (s->permit == NULL)
		fail_msg("%s", err_text(&s->err));
}

static void
permitted_by(struct fl_author author, const char *text)
{
	struct session s = { .author = author };

	begun(&s);
	if (check_as(&s, text, DTRACE_PROBESPEC_NAME) != 0)
		fail_msg("%s: %s", text, err_text(&s.err));
	end(&s);
}

static void
expect(const struct session *s, int code, const char *why)
{
	assert_int_equal(s->err.code, code);
	if (strstr(err_text(&s->err), why) == NULL)
		fail_msg("'%s' has no '%s'", err_text(&s->err), why);
}

static void
refused_by(struct fl_author author, const char *text, const char *why)
{
	struct session s = { .author = author };

	begun(&s);
	assert_int_not_equal(check_as(&s, text, DTRACE_PROBESPEC_NAME), 0);
	expect(&s, -EACCES, why);
	end(&s);
}

/* ---- lists -------------------------------------------------------------- */

static int
note_provider(dtrace_hdl_t *h, const dtrace_probedesc_t *d, void *arg)
{
	struct strbuf *seen = arg;

	(void)h;
	strbuf_printf(seen, "%s ", d->dtpd_provider);
	return 0;
}

/* The providers that an author sees behind a description. */
static char *
listed(struct fl_author author, const char *text)
{
	struct session s = { .author = author };
	struct strbuf seen = { 0 };
	dtrace_prog_t *p;

	begun(&s);
	p = dtrace_program_strcompile(s.h, text, DTRACE_PROBESPEC_NAME,
	    DTRACE_C_ZDEFS | DTRACE_C_NOLIBS, 0, NULL);
	assert_non_null(p);
	assert_int_equal(fl_permit_options(s.permit, &s.err), 0);
	assert_int_equal(fl_permit_list(s.permit, p, note_provider, &seen), 0);
	end(&s);
	return strbuf_steal(&seen);
}

static void
lists_have_what_is_permitted(void **state)
{
	static const char *none[] = { NULL };
	struct fl_author a = alice();
	char *seen = listed(a, "getpriority:entry, BEGIN");

	(void)state;
	assert_string_equal(seen, "syscall dtrace ");
	free(seen);
	a.providers = none;
	seen = listed(a, "getpriority:entry, BEGIN");
	assert_string_equal(seen, "dtrace ");
	free(seen);
}

/* ---- providers ---------------------------------------------------------- */

static void
providers_are_permitted_by_name(void **state)
{
	struct fl_author a = alice();
	static const char *all[] = { "*", NULL };
	static const char *none[] = { NULL };

	(void)state;
	permitted_by(a, "syscall::read:entry, tick-1s { @ = count(); }");
	permitted_by(a, "tick-97ms, profile-97, profile-1ms { @ = count(); }");
	permitted_by(a, "BEGIN, END, dtrace:::ERROR { exit(0); }");
	permitted_by(a, "syscall::read:entry");
	refused_by(a,
	    "syscall::read:entry, sdt:::sched_switch { @ = count(); }",
	    "does not permit alice the provider sdt");
	/* A clause without statements is a clause. */
	refused_by(a, "sdt:::sched_switch", "the provider sdt");
	a.providers = all;
	permitted_by(a, "sdt:::sched_switch, cpc::: { @ = count(); }");
	a.providers = none;
	permitted_by(a, "BEGIN { exit(0); }");
	permitted_by(a, "END, ERROR { @ = count(); }");
	refused_by(a, "BEGIN, tick-1s { exit(0); }",
	    "does not permit alice the provider profile");
	refused_by(a, "tick-1s { exit(0); }",
	    "does not permit alice the provider profile");
}

static void
patterns_need_the_same_pattern(void **state)
{
	struct fl_author a = alice();

	(void)state;
	assert_true(fl_permit_provider(&a, "app1"));
	assert_false(fl_permit_provider(&a, "app12"));
	assert_true(fl_permit_provider(&a, "pid123"));
	assert_true(fl_permit_provider(&a, "pid*"));
	/* Each matches less than what is permitted, but who knows. */
	assert_false(fl_permit_provider(&a, "pid1*"));
	assert_false(fl_permit_provider(&a, "sys*"));
	assert_false(fl_permit_provider(&a, "syscal[l]"));
	assert_false(fl_permit_provider(&a, ""));
	refused_by(a, "sys*::read:entry { @ = count(); }",
	    "provider sys*: a pattern must be in the policy");
	/* Without a provider, what it matches decides. */
	permitted_by(a, "syscall::read:entry, END, tick-1s { @ = count(); }");
	refused_by(a, "nosuchname { @ = count(); }",
	    "'::nosuchname' matches no probe here: name the provider");
}

/* ---- options ------------------------------------------------------------ */

static void
option(const char *name, const char *value, int code, const char *why)
{
	struct session s = { .author = alice() };
	struct fl_pair pair = { name, value };

	s.rq.options = (struct fl_pairs){ &pair, 1 };
	begin(&s);
	if (code == 0)
		assert_string_equal(err_text(&s.err), "");
	else
		expect(&s, code, why);
	assert_int_equal(s.permit == NULL, code != 0);
	end(&s);
}

static void
options_are_from_a_list(void **state)
{
	(void)state;
	option("quiet", NULL, 0, NULL);
	option("aggrate", "100ms", 0, NULL);
	option("listen", "127.0.0.1:0", -EACCES, "option listen cannot be");
	option("libdir", "/tmp", -EACCES, "option libdir cannot be");
	option("cpp", NULL, -EACCES, "option cpp cannot be");
	option("record", "/tmp/x", -EACCES, "option record cannot be");
	option("destructive", NULL, -EACCES, "option destructive cannot");
	option("nosuchoption", NULL, -EACCES, "nosuchoption");
	option("aggrate", "often", -EINVAL, "aggrate");
}

static void
pragmas_are_seen(void **state)
{
	(void)state;
	permitted_by(alice(), "#pragma D option quiet\nBEGIN { exit(0); }");
	refused_by(alice(),
	    "#pragma D option listen=127.0.0.1:0\nBEGIN { exit(0); }",
	    "option listen cannot be set over the fleet");
	refused_by(alice(), "#pragma D option libdir=/tmp\nBEGIN { exit(0); }",
	    "option libdir");
	refused_by(alice(),
	    "#pragma D option destructive\nBEGIN { system(\"id\"); }",
	    "the script sets option destructive: ask for it with -w");
}

static void
asked_destruction_is_permitted(void **state)
{
	struct session s = { .author = alice(),
		.rq.flags = FL_WANTS_DESTRUCTIVE };

	(void)state;
	begun(&s);
	assert_int_equal(
	    check_as(&s, "BEGIN { stop(); }", DTRACE_PROBESPEC_NAME), 0);
	end(&s);
}

/* DOF brings options, too: it is no way around. */
static void
dof_is_checked(void **state)
{
	struct session s = { .author = alice() };
	struct session from = { .author = alice() };
	dtrace_prog_t *p;
	void *dof;
	FILE *f = tmpfile();
	uint64_t size;

	(void)state;
	begun(&from);
	p = dtrace_program_strcompile(from.h,
	    "#pragma D option destructive\nsdt:::sched_switch { @ = count(); }",
	    DTRACE_PROBESPEC_NAME, DTRACE_C_ZDEFS | DTRACE_C_NOLIBS, 0, NULL);
	assert_non_null(p);
	dof = dtrace_dof_create(from.h, p, 0);
	assert_non_null(dof);
	memcpy(&size, (char *)dof + 48, sizeof(size)); /* dofh_filesz */
	assert_int_equal(fwrite(dof, 1, size, f), size);
	rewind(f);
	begun(&s);
	p = dtrace_program_fcompile(
	    s.h, f, DTRACE_C_ZDEFS | DTRACE_C_NOLIBS, 0, NULL);
	if (p == NULL)
		fail_msg("%s", dtrace_errmsg(s.h, dtrace_errno(s.h)));
	assert_int_equal(fl_permit_program(s.permit, p, &s.err), -EACCES);
	end(&s);
	dtrace_dof_destroy(from.h, dof);
	end(&from);
	fclose(f);
}

/* ---- substrates and memory ---------------------------------------------- */

static dtrace_optval_t
value_of(const struct session *s, const char *name)
{
	dtrace_optval_t v = DTRACEOPT_UNSET;

	assert_int_equal(dtrace_getopt(s->h, name, &v), 0);
	return v;
}

static void
substrates_are_kept(void **state)
{
	struct fl_author kernel = alice(), process = alice();

	(void)state;
	kernel.substrates = FL_KERNEL;
	process.substrates = FL_PROCESS;
	permitted_by(kernel, "BEGIN { exit(0); }");
	permitted_by(
	    kernel, "#pragma D option substrate=kernel\nBEGIN { exit(0); }");
	permitted_by(process, "BEGIN { exit(0); }");
	refused_by(process,
	    "#pragma D option substrate=kernel\nBEGIN { exit(0); }",
	    "permits alice only substrate=process");
	refused_by(kernel,
	    "#pragma D option substrate=both\nBEGIN { exit(0); }",
	    "permits alice only substrate=kernel");
	refused_by(kernel,
	    "#pragma D option substrate=auto\nBEGIN { exit(0); }",
	    "permits alice only substrate=kernel");
}

static void
memory_is_fitted_and_kept(void **state)
{
	struct session s = { .author = alice() };

	(void)state;
	begun(&s);
	assert_int_equal(value_of(&s, "bufsize"), 4 << 20);
	end(&s);
	s = (struct session){ .author = alice() };
	s.author.memory = all_cpus(1U << 20);
	begun(&s);
	assert_int_equal(value_of(&s, "bufsize"), 3 << 17);
	assert_int_equal(
	    check_as(&s, "BEGIN { exit(0); }", DTRACE_PROBESPEC_NAME), 0);
	end(&s);
	refused_by(s.author, "#pragma D option bufsize=1m\nBEGIN { exit(0); }",
	    "bufsize, aggsize, dynvarsize and specsize come to");
	refused_by(s.author, "#pragma D option nspec=64\nBEGIN { exit(0); }",
	    "the policy permits alice ");
	/* 2^50 bytes on each CPU, and 2^38 of each of 65536 speculations. */
	refused_by(alice(),
	    "#pragma D option bufsize=1024t\n#pragma D option specsize=256g\n"
	    "#pragma D option nspec=65536\nBEGIN { exit(0); }",
	    "come to");
}

static void
nothing_given_is_nothing_permitted(void **state)
{
	struct session s = { .author = alice() };

	(void)state;
	s.author.duration_ns = 0;
	begin(&s);
	assert_null(s.permit);
	expect(&s, -EACCES, "permits alice no run: it has no line 'duration'");
	end(&s);
	s = (struct session){ .author = alice() };
	s.author.memory = 0;
	begin(&s);
	expect(&s, -EACCES, "no line 'memory'");
	end(&s);
	s = (struct session){ .author = alice() };
	s.author.cpu_permille = 0;
	begin(&s);
	expect(&s, -EACCES, "no line 'cpu'");
	end(&s);
	s = (struct session){ .author = alice() };
	s.author.substrates = 0;
	begin(&s);
	expect(&s, -EACCES, "no line 'substrates'");
	end(&s);
}

/* ---- budgets ------------------------------------------------------------ */

/* A second that takes so many thousandths of a CPU. */
static bool
feed_second(
    struct fl_budget *b, uint64_t *now, uint64_t *total, uint64_t permille)
{
	*now += FL_SECOND_NS;
	*total += permille * 1000000;
	return fl_budget_feed(b, *now, *total);
}

static void
only_lasting_excess_ends_a_run(void **state)
{
	struct fl_budget *b = fl_budget_create(getpid(), 20);
	struct strbuf why = { 0 };
	uint64_t now = 7 * FL_SECOND_NS, total = 12345;

	(void)state;
	assert_false(fl_budget_feed(b, now, total));
	for (int i = 0; i < FL_BUDGET_SECONDS - 1; i++)
		assert_false(feed_second(b, &now, &total, 900));
	/* As much as is permitted, not more. */
	assert_false(feed_second(b, &now, &total, 20));
	for (int i = 0; i < FL_BUDGET_SECONDS - 1; i++)
		assert_false(feed_second(b, &now, &total, 75));
	assert_true(feed_second(b, &now, &total, 75));
	fl_budget_reason(b, &why);
	assert_string_equal(
	    why.s, "it took 7.5 % of a CPU for 5 s; the policy permits 2.0 %");
	/* The judgement stays. */
	assert_true(feed_second(b, &now, &total, 0));
	strbuf_fini(&why);
	fl_budget_destroy(b);
}

static void
frequent_polls_change_nothing(void **state)
{
	struct fl_budget *b = fl_budget_create(getpid(), 20);
	uint64_t total = 0, now = FL_SECOND_NS;
	int n = 0;

	(void)state;
	/* 30 permille, all in one tenth of each second. */
	while (!fl_budget_feed(b, now, total)) {
		now += FL_SECOND_NS / 10;
		total += ++n % 10 == 0 ? 30 * 1000000 : 0;
		assert_true(n < 1000);
	}
	assert_int_equal(now, (1 + FL_BUDGET_SECONDS) * FL_SECOND_NS);
	fl_budget_destroy(b);
}

static void
ended_runners_are_told(void **state)
{
	struct fl_cost cost;
	pid_t pid = fork();
	struct fl_budget *b;

	(void)state;
	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	b = fl_budget_create(pid, 20);
	assert_int_equal(fl_budget_poll(b, now_ns(), &cost), FL_BUDGET_GONE);
	fl_budget_destroy(b);
}

static void
cpu_time_of_the_runner_counts(void **state)
{
	struct fl_budget *b = fl_budget_create(getpid(), 20);
	struct fl_cost before, after;
	uint64_t begun_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);

	(void)state;
	assert_int_equal(
	    fl_budget_poll(b, now_ns(), &before), FL_BUDGET_WITHIN);
	while (clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) - begun_ns < 200000000)
		;
	fl_budget_poll(b, now_ns(), &after);
	assert_in_range(
	    after.runner_ns - before.runner_ns, 150000000, 100 * FL_SECOND_NS);
	fl_budget_destroy(b);
}

static dtrace_hdl_t *
trace(const char *text)
{
	int error;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, 0, &error);
	dtrace_prog_t *p;

	if (h == NULL)
		return NULL;
	p = dtrace_program_strcompile(
	    h, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL);
	assert_non_null(p);
	if (dtrace_program_exec(h, p, NULL) == 0 && dtrace_go(h) == 0)
		return h;
	dtrace_close(h);
	return NULL;
}

/* The kernel's account grows by each firing while it is enabled. */
static void
the_kernel_measures_programs(void **state)
{
	struct fl_budget *b = fl_budget_create(getpid(), 20);
	struct fl_cost before, after;
	struct err err = { 0 };
	int stats = fl_budget_enable(&err);
	dtrace_hdl_t *h = NULL;

	(void)state;
	if (stats >= 0)
		h = trace("syscall::getppid:entry { @ = count(); }");
	if (h == NULL) {
		err_clear(&err);
		fl_budget_destroy(b);
		skip();
	}
	fl_budget_poll(b, now_ns(), &before);
	assert_true(before.is_kernel_measured);
	for (int i = 0; i < 1000; i++)
		getppid();
	fl_budget_poll(b, now_ns(), &after);
	assert_true(after.kernel_firings - before.kernel_firings >= 1000);
	assert_true(after.kernel_ns > before.kernel_ns);
	dtrace_close(h);
	close(stats);
	/* the time of closed programs still counts */
	fl_budget_poll(b, now_ns(), &before);
	assert_true(before.kernel_ns >= after.kernel_ns);
	fl_budget_destroy(b);
}

/* ---- the journal -------------------------------------------------------- */

static void
take_line(int priority, const char *line, void *arg)
{
	struct strbuf *lines = arg;

	(void)priority;
	strbuf_adds(lines, line);
	strbuf_addc(lines, '\n');
}

static void
runs_are_one_line(void **state)
{
	struct fl_author author = alice();
	struct strbuf lines = { 0 };
	struct fl_journal *j = fl_journal_create(take_line, &lines);
	const char *hosts[] = { "web*", "db\n1\"" };
	struct fl_pair label = { "role", "front" };
	struct fl_program program = { FL_PROGRAM_NAME, "BEGIN", 5 };
	struct fl_request rq = { .author = &author,
		.hosts = { hosts, 2 },
		.labels = { &label, 1 },
		.programs = { &program, 1 },
		.detached = "night" };
	struct fl_run run = { &rq, 12345 * 1000000ULL, 7, 61725000,
		"exit() was called" };
	struct err err = { 0 };
	char hash[FL_HASH_TEXT], *want;

	(void)state;
	assert_int_equal(fl_request_hash(&rq, hash, &err), 0);
	fl_journal_run(j, &run);
	want = mem_printf("run: author=\"alice\" script=%s name=\"night\" "
			  "hosts=\"web*,db\\n1\\\",role=front\" "
			  "duration=12.345s drops=7 cpu=0.5%% "
			  "end=\"exit() was called\"\n",
	    hash);
	assert_string_equal(lines.s, want);
	free(want);
	strbuf_fini(&lines);
	fl_journal_destroy(j);
}

static size_t
count_lines(const char *s)
{
	size_t n = 0;

	for (; *s != '\0'; s++)
		n += *s == '\n';
	return n;
}

static void
refusals_cannot_fill_the_disk(void **state)
{
	static const char told[] =
	    "metrics: script=\"calls.d\" told=\"no\\nrun: \"\n";
	struct strbuf lines = { 0 };
	struct fl_journal *j = fl_journal_create(take_line, &lines);
	uint64_t now = 1000 * FL_SECOND_NS;
	char *large = mem_alloc(5000);

	(void)state;
	for (int i = 0; i < FL_REFUSALS + 5; i++)
		fl_journal_refusal(j, "me\x1b[2J", "no\nrun: ", now);
	assert_int_equal(count_lines(lines.s), FL_REFUSALS);
	strbuf_reset(&lines);
	now += 60 * FL_SECOND_NS;
	memset(large, 'x', 4999);
	fl_journal_refusal(j, "me\x1b[2J", large, now);
	assert_int_equal(count_lines(lines.s), 1);
	assert_true(lines.len < 600);
	assert_non_null(strstr(lines.s, " left_out_before=5\n"));
	assert_null(strchr(lines.s, '\x1b'));
	strbuf_reset(&lines);
	for (int i = 0; i < FL_REFUSALS + 5; i++)
		fl_journal_metrics(j, "calls.d", "no\nrun: ", now);
	assert_int_equal(count_lines(lines.s), FL_REFUSALS - 1);
	assert_memory_equal(lines.s, told, strlen(told));
	free(large);
	strbuf_fini(&lines);
	fl_journal_destroy(j);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_have_what_is_permitted),
		cmocka_unit_test(providers_are_permitted_by_name),
		cmocka_unit_test(patterns_need_the_same_pattern),
		cmocka_unit_test(options_are_from_a_list),
		cmocka_unit_test(pragmas_are_seen),
		cmocka_unit_test(asked_destruction_is_permitted),
		cmocka_unit_test(dof_is_checked),
		cmocka_unit_test(substrates_are_kept),
		cmocka_unit_test(memory_is_fitted_and_kept),
		cmocka_unit_test(nothing_given_is_nothing_permitted),
		cmocka_unit_test(only_lasting_excess_ends_a_run),
		cmocka_unit_test(frequent_polls_change_nothing),
		cmocka_unit_test(ended_runners_are_told),
		cmocka_unit_test(cpu_time_of_the_runner_counts),
		cmocka_unit_test(the_kernel_measures_programs),
		cmocka_unit_test(runs_are_one_line),
		cmocka_unit_test(refusals_cannot_fill_the_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
