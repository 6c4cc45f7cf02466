/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes that appear while tracing.  Tracepoints stand for them here: the
 * substrate treats a late probe like one from the start.
 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "libdtrace/dt_impl.h"
#include "prog/mark.h"

/*
 * Two clauses, each without a probe at first.  Of system calls only marks
 * count: arg1 is the number (getpriority, 140) at an entry, the result at a
 * return.
 */
static const char script[] =
    "nosuch:::a /pid == $1 && (arg1 == 140 || arg1 == -22 ||"
    " probename == \"sched_process_fork\")/"
    " { printf(\"a %s %d\\n\", probename, strlen(probename)); }"
    "nosuch:::b /pid == $1 && arg1 == 140/"
    " { @ = count(); printf(\"b %s %d\\n\", probename, epid != 0); }"
    "END { printa(\"%@d in all\\n\", @); }";

/* Records are merged when they are older than a millisecond. */
#define RIPE_US 20000

static struct dt_provider_ops growing;

struct session {
	struct dt_hdl *h;
	FILE *out;
	char *text;
	size_t len;
	struct dt_probe enter, leave, fork;
};

static int
copy_probe(const struct dt_probe *p, void *arg)
{
	struct dt_probe *copy = arg;

	*copy = *p;
	growing = *p->ops;
	growing.grows = true;
	copy->ops = &growing;
	return 0;
}

static void
find_probe(struct session *s, char *name, struct dt_probe *p)
{
	char prov[] = "rawtp", empty[] = "";
	struct dif_pdesc desc = {
		.prov = prov, .mod = empty, .func = empty, .name = name
	};

	assert_int_equal(dt_probe_iter(s->h, &desc, copy_probe, p), 1);
}

static void
enable(struct session *s)
{
	char pid[16], name[] = "test";
	char *argv[] = { name, pid };
	struct dt_proginfo info;
	struct dt_prog *p;

	snprintf(pid, sizeof(pid), "%d", getpid());
	assert_int_equal(dt_setopt(s->h, "quiet", NULL), 0);
	assert_int_equal(dt_setopt(s->h, "zdefs", NULL), 0);
	p = dt_compile_str(s->h, script, LANG_PSPEC_NAME, 0, 2, argv);
	assert_non_null(p);
	assert_int_equal(dt_prog_exec(s->h, p, &info), 0);
	assert_int_equal(info.matches, 1);
}

static void
start(struct session *s)
{
	char enter[] = "sys_enter", leave[] = "sys_exit";
	char fork_name[] = "sched_process_fork";

	if (geteuid() != 0)
		skip();
	s->h = dt_open();
	s->out = open_memstream(&s->text, &s->len);
	find_probe(s, enter, &s->enter);
	find_probe(s, leave, &s->leave);
	find_probe(s, fork_name, &s->fork);
	enable(s);
	s->h->plan->clauses.v[0].may_grow = true;
	s->h->plan->clauses.v[1].may_grow = true;
}

static void
grow(struct session *s)
{
	struct err err = { 0 };

	if (s->h->ops->grow(s->h->exec, &err) != 0)
		fail_msg("%s", err.text);
}

/* Check that the line is in the whole output so far n times. */
static void
expect(struct session *s, const char *line, int n)
{
	int found = 0;

	usleep(RIPE_US);
	assert_int_equal(dt_work(s->h, s->out), DT_WORK_OKAY);
	fflush(s->out);
	for (const char *p = s->text; (p = strstr(p, line)) != NULL; p++)
		found++;
	if (found != n)
		fail_msg("'%s': expected %d times, found %d in\n%s", line, n,
		    found, s->text);
}

static void
finish(struct session *s, const char *last)
{
	assert_int_equal(dt_stop(s->h), 0);
	assert_int_equal(dt_work(s->h, s->out), DT_WORK_DONE);
	fflush(s->out);
	assert_non_null(strstr(s->text, last));
	dt_close(s->h);
	fclose(s->out);
	free(s->text);
}

static void
fork_once(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/*
 * With a group from the start, a second probe joins it; a clause that was not
 * in its program gets a program of its own; a probe of another kind gets a
 * group.
 */
static void
test_join(void **state)
{
	struct session s = { 0 };
	uint32_t first, second, third;

	(void)state;
	start(&s);
	plan_clause_add_probe(&s.h->plan->clauses.v[0], &s.enter);
	assert_int_equal(dt_go(s.h), 0);
	MARK1(1);
	expect(&s, "a sys_enter 9\n", 1);
	expect(&s, "a sys_exit", 0);

	first = plan_add_late(s.h->plan, 0, &s.leave);
	grow(&s);
	MARK1(2);
	expect(&s, "a sys_enter 9\n", 2);
	expect(&s, "a sys_exit 8\n", 1);

	second = plan_add_late(s.h->plan, 1, &s.enter);
	third = plan_add_late(s.h->plan, 0, &s.fork);
	assert_int_equal(second, first + 1);
	assert_int_equal(third, first + 2);
	grow(&s);
	MARK1(3);
	fork_once();
	expect(&s, "a sys_enter 9\n", 3);
	expect(&s, "a sys_exit 8\n", 2);
	expect(&s, "a sched_process_fork 18\n", 1);
	expect(&s, "b sys_enter 1\n", 1);
	finish(&s, "\n1 in all\n");
}

/* At the start there is no group, and no buffer but for later probes. */
static void
test_from_nothing(void **state)
{
	struct session s = { 0 };

	(void)state;
	start(&s);
	assert_int_equal(dt_go(s.h), 0);
	MARK1(1);
	expect(&s, "a", 0);
	plan_add_late(s.h->plan, 1, &s.enter);
	plan_add_late(s.h->plan, 0, &s.enter);
	plan_add_late(s.h->plan, 0, &s.leave);
	grow(&s);
	MARK1(2);
	MARK1(3);
	expect(&s, "a sys_enter 9\n", 2);
	expect(&s, "a sys_exit 8\n", 2);
	expect(&s, "b sys_enter 1\n", 2);
	finish(&s, "\n2 in all\n");
}

/* Add more probes than a table has room for. */
static void
test_full(void **state)
{
	const uint32_t n = 5000;
	struct dt_probe *many = calloc(n, sizeof(*many));
	struct session s = { 0 };

	(void)state;
	start(&s);
	plan_clause_add_probe(&s.h->plan->clauses.v[1], &s.enter);
	assert_int_equal(dt_go(s.h), 0);
	/*
	 * A group's first probe says how all of the group are armed: the new
	 * probes of the first group are not armed at all.  Those of other
	 * groups are, but no process is created, so they do not fire.
	 */
	s.enter.kind = DT_PROBE_RUN;
	for (uint32_t i = 0; i < n; i++) {
		many[i] = s.fork;
		many[i].id = 1000000 + i;
		plan_add_late(s.h->plan, 1, &many[i]);
		if (i % 500 == 499)
			grow(&s);
	}
	s.enter.kind = DT_PROBE_TRACEPOINT;
	plan_add_late(s.h->plan, 1, &s.leave);
	grow(&s);
	MARK1(1);
	expect(&s, "b sys_enter 1\n", 1);
	finish(&s, "\n1 in all\n");
	free(many);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_join),
		cmocka_unit_test(test_from_nothing),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
