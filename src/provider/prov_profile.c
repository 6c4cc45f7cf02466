/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The profile provider: profile-N[unit] fires on every CPU, tick-N[unit] on
 * one.
 *
 * tick is run by dtrace from a timerfd: nothing to arm here.  profile is a
 * software clock (perf_event_open(2)) on each CPU that is online; the substrate
 * sees to CPUs that come later (exec/bpf/hotplug.c).
 *
 * Which clock: measured on Linux 6.18 in a virtual machine (KVM, amd64), two
 * CPUs each kept busy by a pinned process that spins, 2 s at a time, samples per second on CPU 0 and CPU 1:
 *
 *	                 97 hz         997 hz           4999 hz
 *	cpu-clock     96.3  96.8    994.6  991.6    4998.6  4983.7
 *	 with freq    96.8  96.8    996.8  993.3    4996.2  4984.7
 *	task-clock    96.8  96.8    996.7  993.7    4998.2  4982.7
 *	 with freq    96.8  96.3    996.8  993.8    4990.4  4979.9
 *
 * They are the same timer: all within 1 %, and what is missing is missing in
 * gaps of a few ms whichever is used.  So cpu-clock, which belongs to the CPU
 * and not to a context, with a period, which is exact for any unit.  CPU 1
 * idle gives 32 of 997 a second, in gaps of up to 0.4 s.
 *
 * A process gets the share of a CPU's samples that it got of the CPU's time:
 * a spinning one alone 99.5 to 100 %; one that the scheduler's statistics gave
 * 66.5 and 65.6 % beside other work, 67.1 and 65.5 %.
 *
 * A late firing never moves those after it (the timer goes on by whole
 * periods), so what is missed can be counted: the time between two firings on
 * a CPU, in periods, rounded, less one.  In runs of 4 and 5 s with both CPUs
 * busy, samples plus that were 996.9 to 997.1 a second.
 */
#include "provider/perf.h"
#include "provider/provider_impl.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MIN_PERIOD_NS 200000
#define NS_PER_SEC 1000000000ULL
#define RATE_LIMIT "/proc/sys/kernel/perf_event_max_sample_rate"

/* Probes that exist without being asked for by name. */
static const char *const listed[] = {
	"profile-97",
	"profile-199",
	"profile-499",
	"profile-997",
	"profile-1999",
	"profile-4001",
	"profile-4999",
	"tick-1",
	"tick-10",
	"tick-100",
	"tick-500",
	"tick-1000",
	"tick-5000",
};
#define NLISTED (sizeof(listed) / sizeof(listed[0]))

static uint32_t
profile_nids(struct dt_registry *r)
{
	(void)r;
	return NLISTED;
}

/* What follows "profile-" or "tick-"; NULL if the name is neither. */
static const char *
clock_parse(const char *name, enum dt_ctx *ctx)
{
	if (strncmp(name, "profile-", 8) == 0) {
		*ctx = DT_CTX_PERF;
		return name + 8;
	}
	if (strncmp(name, "tick-", 5) == 0) {
		*ctx = DT_CTX_RUN;
		return name + 5;
	}
	return NULL;
}

/* 0 and the probe, its id not set; or as dt_parse_period(). */
static int
clock_probe(const char *name, struct dt_probe *p)
{
	const char *period;

	memset(p, 0, sizeof(*p));
	p->ops = &dt_provider_profile;
	p->prov = "profile";
	p->mod = "";
	p->func = "";
	p->name = name;
	period = clock_parse(name, &p->ctx);
	if (period == NULL)
		return -EINVAL;
	return dt_parse_period(period, true, &p->period_ns);
}

static void
add_clock(struct dt_registry *r, const struct dt_probe *tmpl)
{
	struct dt_probe *p = dt_registry_add(r, tmpl);

	p->group = DT_GROUP(CLOCK, p->id);
}

static bool
is_listed(const char *name)
{
	for (size_t i = 0; i < NLISTED; i++) {
		if (strcmp(name, listed[i]) == 0)
			return true;
	}
	return false;
}

/*
 * A name that is spelled out makes its probe.  What cannot be a period is an
 * error only when nobody else can have meant it: some other provider may have
 * a probe "tick-start".
 */
static int
match_on_demand(struct dt_registry *r, const struct dif_pdesc *desc)
{
	const char *name = desc->name;
	struct dt_probe p;
	int rc;

	if (desc->id != 0 || dt_field_is_empty(name) || glob_is_pattern(name) ||
	    is_listed(name) || clock_parse(name, &p.ctx) == NULL)
		return 0;
	rc = clock_probe(name, &p);
	if (!dt_pdesc_match(desc, &p))
		return 0;
	if (rc == -EINVAL) {
		if (!dt_field_is(desc->prov, "profile"))
			return 0;
		return dt_registry_fail(r, rc, "profile:::%s: after the dash "
		    "comes a number and, if it is not hz, one of the units "
		    "ns us ms s m h d (or nsec usec msec sec min hour day)",
		    name);
	}
	if (rc == -ERANGE)
		return dt_registry_refuse(r, DT_REFUSE_NONE, rc,
		    "profile:::%s: the period is "
		    "out of range: the shortest is 200us, which is 5000hz, "
		    "the longest 106751d", name);
	if (p.period_ns < MIN_PERIOD_NS)
		return dt_registry_refuse(r, DT_REFUSE_NONE, -ERANGE,
		    "profile:::%s: too fast: "
		    "the shortest period is 200us, which is 5000hz", name);
	add_clock(r, &p);
	return 0;
}

static int
profile_match(struct dt_registry *r, const struct dif_pdesc *desc,
    uint32_t id_base)
{
	for (uint32_t i = 0; i < NLISTED; i++) {
		struct dt_probe p;

		clock_probe(listed[i], &p);
		p.id = id_base + i;
		if (dt_pdesc_match(desc, &p))
			add_clock(r, &p);
	}
	return match_on_demand(r, desc);
}

/* The kernel's limit on samples a second; it throttles what exceeds it. */
static uint64_t
sample_rate_limit(void)
{
	FILE *f = fopen(RATE_LIMIT, "re");
	uint64_t limit = 0;

	if (f == NULL)
		return UINT64_MAX;
	if (fscanf(f, "%" SCNu64, &limit) != 1)
		limit = UINT64_MAX;
	fclose(f);
	return limit;
}

static int
profile_arm(const struct dt_arming *a, struct dt_fds *fds, char **msg)
{
	const struct dt_probe *probe = a->probes[0];
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = probe->period_ns };

	assert(probe->ctx == DT_CTX_PERF);
	if (NS_PER_SEC / probe->period_ns > sample_rate_limit()) {
		*msg = mem_printf("%s: faster than " RATE_LIMIT " allows: "
		    "write a larger number to it", probe->name);
		return -ERANGE;
	}
	return dt_perf_arm(a, attr, fds, msg);
}

/* Where the kernel was, or else the process; the other is 0. */
static const char *const *
profile_arg_types(const struct dt_probe *probe)
{
	static const char *const types[] = { "uintptr_t", "uintptr_t", NULL };

	(void)probe;
	return types;
}

static const char *const profile_attrs[] = {
	"Evolving/Evolving/Common",
	"Evolving/Evolving/Common",
	"Evolving/Evolving/Common",
	"Evolving/Evolving/Common",
	"Evolving/Evolving/Common",
};

const struct dt_provider_ops dt_provider_profile = {
	.name = "profile",
	.nids = profile_nids,
	.match = profile_match,
	.arg_types = profile_arg_types,
	.arm = profile_arm,
	.privilege = DT_PRIV_USER,
	.attrs = profile_attrs,
};
