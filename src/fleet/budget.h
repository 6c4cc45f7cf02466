/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FLEET_BUDGET_H
#define FLEET_BUDGET_H

/*
 * Budgets: the agent measures what each run costs the host, and learns when a
 * run costs more than the policy permits.  It is DTrace's deadman for a fleet.
 *
 * A run is a process of its own (the runner).  Its cost has two parts:
 *
 *	kernel	run time of its BPF programs, which the kernel measures on all
 *		CPUs while somebody holds fl_budget_enable()'s descriptor.  The
 *		traps that lead to uprobes are not in it.
 *	runner	CPU time of the runner and its ended children
 *
 * The cost of probes of the process substrate is not known: traced processes do
 * not count their firings.
 *
 * The agent polls about once a second:
 *
 *	stats = fl_budget_enable(&err);		while any run lasts
 *	b = fl_budget_create(pid, author->cpu_permille);
 *	...
 *	if (fl_budget_poll(b, now_ns(), &cost) == FL_BUDGET_OVER)
 *		... end the run; fl_budget_reason() says why ...
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"

/* A run is ended when each of so many seconds took more than the budget. */
#define FL_BUDGET_SECONDS 5

struct fl_cost {
	uint64_t kernel_ns, kernel_firings; /* since the beginning */
	uint64_t runner_ns;
	uint64_t permille;	 /* of one CPU, in the last interval */
	bool is_kernel_measured; /* the kernel's account could be read */
};

enum fl_budget_state {
	FL_BUDGET_WITHIN,
	FL_BUDGET_OVER,
	FL_BUDGET_GONE /* the runner has ended */
};

/*
 * Have the kernel measure BPF programs as long as the descriptor is open.  That
 * costs each run of a program, also of others', 200 to 350 ns on the virtual
 * machine where it was measured (getppid() with count(): 284 ns, then 503), and
 * is not in the account: close the descriptor when no run lasts.  Returns the
 * descriptor, or -errno; -EPERM without CAP_SYS_ADMIN.
 */
CHECKED int fl_budget_enable(struct err *err);

struct fl_budget *fl_budget_create(pid_t runner, uint64_t limit_permille);
void fl_budget_destroy(struct fl_budget *b);
/* `now_ns` is monotonic.  *cost is set unless the runner is gone. */
enum fl_budget_state fl_budget_poll(
    struct fl_budget *b, uint64_t now_ns, struct fl_cost *cost);
/* Append "it took 7.5 % of a CPU for 5 s; the policy permits 2.0 %". */
void fl_budget_reason(const struct fl_budget *b, struct strbuf *out);

/*
 * The judgement alone: `total_ns` is the cost of all parts since the beginning.
 * True: over the budget for FL_BUDGET_SECONDS, now or before.
 */
bool fl_budget_feed(struct fl_budget *b, uint64_t now_ns, uint64_t total_ns);

#endif
