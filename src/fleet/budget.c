/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's account of a BPF program is in /proc/PID/fdinfo of a process
 * that has a descriptor of it (bpf(2), BPF_ENABLE_STATS).  The runner has one
 * for each program that it loaded, so the account is per run, whatever other
 * tracers do.
 */
#include "fleet/budget.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"

#define SECOND_NS UINT64_C(1000000000)

/* A program of the runner: it may be closed before the run ends. */
struct program_cost {
	uint32_t id;
	uint64_t run_ns, runs; /* as read last */
};

struct fl_budget {
	pid_t runner;
	uint64_t limit_permille;
	VEC(struct program_cost) programs;
	/* The present interval began at this time, with this cost. */
	bool has_begun;
	uint64_t since_ns, since_total_ns;
	uint64_t permille; /* of the last whole interval */
	/* The first of the intervals without a break that are over; 0: none. */
	uint64_t over_since_ns;
	uint64_t over_total_ns;
	uint64_t over_permille; /* mean of those that ended the run */
	bool is_over;
};

int
fl_budget_enable(struct err *err)
{
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.enable_stats.type = BPF_STATS_RUN_TIME;
	fd = (int)syscall(SYS_bpf, BPF_ENABLE_STATS, &attr, sizeof(attr));
	if (fd < 0)
		return err_set(err, -errno,
		    "the kernel does not measure BPF programs: %s",
		    strerror(errno));
	return fd;
}

struct fl_budget *
fl_budget_create(pid_t runner, uint64_t limit_permille)
{
	struct fl_budget *b = mem_alloc(sizeof(*b));

	b->runner = runner;
	b->limit_permille = limit_permille;
	return b;
}

void
fl_budget_destroy(struct fl_budget *b)
{
	if (b == NULL)
		return;
	VEC_FREE(&b->programs);
	free(b);
}

/* ---- the kernel's account ------------------------------------------------ */

static void
keep_program(struct fl_budget *b, const struct program_cost *now)
{
	VEC_FOREACH(&b->programs, p) {
		if (p->id == now->id) {
			*p = *now;
			return;
		}
	}
	VEC_PUSH(&b->programs, *now);
}

static bool
read_number(const char *text, const char *name, uint64_t *v)
{
	const char *at = strstr(text, name);

	return at != NULL && sscanf(at + strlen(name), "%" SCNu64, v) == 1;
}

/* A descriptor's information, if it is of a BPF program. */
static void
read_program(struct fl_budget *b, int dir, const char *name)
{
	struct program_cost now = { 0 };
	char text[1024];
	uint64_t id;
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	if (!read_number(text, "\nprog_id:", &id) ||
	    !read_number(text, "\nrun_time_ns:", &now.run_ns) ||
	    !read_number(text, "\nrun_cnt:", &now.runs))
		return;
	now.id = (uint32_t)id;
	keep_program(b, &now);
}

/* False: the runner has ended, or is not ours to read. */
static bool
read_programs(struct fl_budget *b)
{
	char path[40];
	const struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo", b->runner);
	dir = opendir(path);
	if (dir == NULL)
		return false;
	while ((e = readdir(dir)) != NULL) {
		if (*e->d_name != '.')
			read_program(b, dirfd(dir), e->d_name);
	}
	closedir(dir);
	return true;
}

/* ---- CPU time ------------------------------------------------------------ */

/*
 * Fields 14 to 17 of /proc/PID/stat: ticks of the process, and of its ended
 * children, in the program and in the kernel.  A name with blanks and brackets
 * is before them.
 */
static bool
read_cpu_time(pid_t pid, uint64_t *ns)
{
	char path[40], text[1024];
	const char *at;
	uint64_t t[4];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	at = strrchr(text, ')');
	if (at == NULL ||
	    sscanf(at,
		") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64
		" %" SCNu64 " %" SCNu64 " %" SCNu64,
		&t[0], &t[1], &t[2], &t[3]) != 4)
		return false;
	*ns = (t[0] + t[1] + t[2] + t[3]) * SECOND_NS /
	    (uint64_t)sysconf(_SC_CLK_TCK);
	return true;
}

/* ---- judgement ----------------------------------------------------------- */

/* An interval of a second or more has ended. */
static void
judge_interval(struct fl_budget *b, uint64_t now_ns, uint64_t total_ns)
{
	uint64_t spent = total_ns - b->since_total_ns;
	uint64_t passed = now_ns - b->since_ns;

	b->permille = (uint64_t)((__uint128_t)spent * 1000 / passed);
	if (b->permille <= b->limit_permille) {
		b->over_since_ns = 0;
	} else if (b->over_since_ns == 0) {
		b->over_since_ns = b->since_ns;
		b->over_total_ns = b->since_total_ns;
	}
	if (b->over_since_ns != 0 && !b->is_over &&
	    now_ns - b->over_since_ns >= FL_BUDGET_SECONDS * SECOND_NS) {
		b->is_over = true;
		b->over_permille =
		    (uint64_t)((__uint128_t)(total_ns - b->over_total_ns) *
			1000 / (now_ns - b->over_since_ns));
	}
	b->since_ns = now_ns;
	b->since_total_ns = total_ns;
}

bool
fl_budget_feed(struct fl_budget *b, uint64_t now_ns, uint64_t total_ns)
{
	if (!b->has_begun) {
		b->has_begun = true;
		b->since_ns = now_ns;
		b->since_total_ns = total_ns;
	} else if (now_ns >= b->since_ns + SECOND_NS &&
	    total_ns >= b->since_total_ns) {
		judge_interval(b, now_ns, total_ns);
	}
	return b->is_over;
}

enum fl_budget_state
fl_budget_poll(struct fl_budget *b, uint64_t now_ns, struct fl_cost *cost)
{
	bool is_over;

	*cost = (struct fl_cost){ 0 };
	if (!read_cpu_time(b->runner, &cost->runner_ns))
		return FL_BUDGET_GONE;
	cost->is_kernel_measured = read_programs(b);
	VEC_FOREACH(&b->programs, p) {
		cost->kernel_ns += p->run_ns;
		cost->kernel_firings += p->runs;
	}
	is_over = fl_budget_feed(b, now_ns, cost->kernel_ns + cost->runner_ns);
	cost->permille = b->permille;
	return is_over ? FL_BUDGET_OVER : FL_BUDGET_WITHIN;
}

void
fl_budget_reason(const struct fl_budget *b, struct strbuf *out)
{
	strbuf_printf(out,
	    "it took %" PRIu64 ".%" PRIu64
	    " %% of a CPU for %d s; the policy permits %" PRIu64 ".%" PRIu64
	    " %%",
	    b->over_permille / 10, b->over_permille % 10, FL_BUDGET_SECONDS,
	    b->limit_permille / 10, b->limit_permille % 10);
}
