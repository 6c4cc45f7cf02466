/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The profile provider: profile-N[unit] fires on every CPU, tick-N[unit] on
 * one.
 *
 * tick is run by dtrace itself; profile is a clock of each CPU.
 */
#include "provider/provider.h"
#include "base/glob.h"
#include "provider/provider_impl.h"

#include <errno.h>
#include <string.h>

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

/* The text behind "profile-" or "tick-"; NULL: the name has neither. */
static const char *
clock_parse(const char *name, enum dt_probe_kind *kind)
{
	if (strncmp(name, "profile-", 8) == 0) {
		*kind = DT_PROBE_CLOCK;
		return name + 8;
	}
	if (strncmp(name, "tick-", 5) == 0) {
		*kind = DT_PROBE_RUN;
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
	period = clock_parse(name, &p->kind);
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
 * A name that is spelled out makes its probe.  A bad period is an error only if
 * the name can mean no other provider's probe, such as "tick-start".
 */
static int
match_on_demand(struct dt_registry *r, const struct dif_pdesc *desc)
{
	const char *name = desc->name;
	struct dt_probe p;
	int rc;

	if (desc->id != 0 || dt_field_is_empty(name) || glob_is_pattern(name) ||
	    is_listed(name) || clock_parse(name, &p.kind) == NULL)
		return 0;
	rc = clock_probe(name, &p);
	if (!dt_pdesc_match(desc, &p))
		return 0;
	if (rc == -EINVAL) {
		if (!dt_field_is(desc->prov, "profile"))
			return 0;
		return dt_registry_fail(
		    r, rc, "profile:::%s: " DT_PERIOD_SYNTAX, name);
	}
	if (rc == -ERANGE)
		return dt_registry_refuse(r, DT_REFUSE_NONE, rc,
		    "profile:::%s: the period is out of range: " DT_PERIOD_SHORTEST
		    ", the longest 106751d",
		    name);
	if (p.period_ns < DT_PERIOD_MIN_NS)
		return dt_registry_refuse(r, DT_REFUSE_NONE, -ERANGE,
		    "profile:::%s: too fast: " DT_PERIOD_SHORTEST, name);
	add_clock(r, &p);
	return 0;
}

static int
profile_match(
    struct dt_registry *r, const struct dif_pdesc *desc, uint32_t id_base)
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

/* The kernel's pc or the process's pc; the other is 0. */
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
	.privilege = DT_PRIV_USER,
	.attrs = profile_attrs,
};
