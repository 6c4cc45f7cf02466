/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The agent's side of the metrics process.  It is forked from a process with
 * threads (libnats'), and uses nothing of theirs.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "base/clock.h"
#include "dtraced/metrics.h"

#define FIRST_FREE 3
#define AGAIN_NS UINT64_C(10000000000)

/* Its journal is its own: the agent's connection to the log is closed here. */
static int
run(const struct metrics_keeper *k)
{
	struct err err = { 0 };
	struct fl_journal *journal;

	closelog();
	if (syscall(SYS_close_range, FIRST_FREE, ~0U, 0) != 0)
		return 1;
	if (metrics_serve(k->conf, k->say, &err) == 0)
		return 0;
	journal = fl_journal_create(k->say, NULL);
	fl_journal_refusal(journal, "metrics", err_text(&err), now_ns());
	fl_journal_destroy(journal);
	err_clear(&err);
	return 1;
}

static void
start(struct metrics_keeper *k)
{
	pid_t agent = getpid(), pid = fork();

	if (pid == 0) {
		/* the agent may have ended before */
		if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != agent)
			_exit(1);
		_exit(run(k));
	}
	k->pid = pid > 0 ? pid : 0;
	k->due_ns = now_ns() + AGAIN_NS;
}

void
metrics_keep(struct metrics_keeper *k)
{
	if (k->conf->metrics == NULL)
		return;
	if (k->pid != 0 && waitpid(k->pid, NULL, WNOHANG) == k->pid)
		k->pid = 0;
	if (k->pid == 0 && now_ns() >= k->due_ns)
		start(k);
}

void
metrics_end(struct metrics_keeper *k)
{
	if (k->pid == 0)
		return;
	kill(k->pid, SIGTERM);
	waitpid(k->pid, NULL, 0);
	k->pid = 0;
}
