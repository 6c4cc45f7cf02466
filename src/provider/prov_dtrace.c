/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The dtrace provider: BEGIN, END and ERROR.
 *
 * BEGIN and END are run by dtrace itself, once each.  ERROR has no program of
 * its own: it is compiled into every place where a clause can fault, so a
 * fault is reported from the very context it happened in.
 */
#include "provider/provider.h"
#include "provider/provider_impl.h"

static const struct {
	const char *name;
	enum dt_probe_kind kind;
} events[] = {
	{ "BEGIN", DT_PROBE_RUN },
	{ "END", DT_PROBE_RUN },
	{ "ERROR", DT_PROBE_ERROR },
};
#define NEVENTS (sizeof(events) / sizeof(events[0]))

static uint32_t
dtrace_nids(struct dt_registry *r)
{
	(void)r;
	return NEVENTS;
}

static int
dtrace_match(
    struct dt_registry *r, const struct dif_pdesc *desc, uint32_t id_base)
{
	for (uint32_t i = 0; i < NEVENTS; i++) {
		struct dt_probe p = { .id = id_base + i,
			.ops = &dt_provider_dtrace,
			.prov = "dtrace",
			.mod = "",
			.func = "",
			.name = events[i].name,
			.kind = events[i].kind,
			.group = DT_GROUP(DTRACE, i) };

		if (dt_pdesc_match(desc, &p))
			dt_registry_add(r, &p);
	}
	return 0;
}

/*
 * Of ERROR, as doc/reference/providers.md section 2 has them: nothing, EPID,
 * action, offset in DIF, fault, the illegal value.
 */
static const char *const *
dtrace_arg_types(const struct dt_probe *probe)
{
	static const char *const types[] = { "int", "uint_t", "int", "int",
		"int", "uint64_t", NULL };

	return probe->kind == DT_PROBE_ERROR ? types : NULL;
}

static const char *const dtrace_attrs[] = {
	"Stable/Stable/Common",
	"Stable/Stable/Common",
	"Stable/Stable/Common",
	"Stable/Stable/Common",
	"Stable/Stable/Common",
};

const struct dt_provider_ops dt_provider_dtrace = {
	.name = "dtrace",
	.nids = dtrace_nids,
	.match = dtrace_match,
	.arg_types = dtrace_arg_types,
	.privilege = DT_PRIV_USER,
	.attrs = dtrace_attrs,
};
