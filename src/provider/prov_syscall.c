/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The syscall provider: every call of x86-64 and of 32-bit processes, by its
 * unistd name.
 *
 * All entry probes are one group, and so are all return probes: a substrate
 * that traces one sees every call, and tells calls apart by number.  The place
 * of a number in the group's table (dt_probe.index):
 *
 *	0 ......... NR_MAX-1   number of a 64-bit call
 *	COMPAT .... NINDEX-1   COMPAT + number of a 32-bit call
 *
 * A name means one probe, so a call that both kinds of process can make has an
 * index of either kind.  Its id is computed from the first: which calls the
 * running kernel has does not matter to it, nor does a longer table.
 *
 * A kernel's tracepoint may have another name than the call (newfstat for
 * fstat).  A description may use it, spelled out; patterns see unistd names
 * only, since those are what gets printed.  "umount" is both the tracepoint of
 * umount2 and a 32-bit call, and selects both.
 *
 * A call whose number is beyond these tables (a kernel later than 6.18 has
 * some) is not a probe: it neither matches nor fires.
 */
#include "provider/provider.h"
#include "provider/provider_impl.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The usual mount point of tracefs; this file works without a mount, too. */
#define EVENTS "/sys/kernel/tracing/events/syscalls"
#define MODULE "vmlinux"
#define NO32 UINT32_MAX

struct prov_syscall_call {
	uint32_t nr, nr32; /* NO32: no 32-bit form */
	const char *name;
	const char *tp_name;	  /* "": as name */
	const char *const *types; /* NULL-terminated, or NULL */
	bool is_new;		  /* since Linux 6.2 or later */
};

#define ARGS(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define NOARGS NULL
#define SYSCALL(nr, nr32, name, tp, types) { nr, nr32, name, tp, types, false },
#define SYSCALL_NEW(nr, nr32, name, tp, types)                                 \
	{ nr, nr32, name, tp, types, true },
static const struct prov_syscall_call calls[] = {
#include "provider/syscalls_64.def"
};
#undef SYSCALL
#undef SYSCALL_NEW
#define NCALLS (sizeof(calls) / sizeof(calls[0]))

#define SYSCALL32(nr, name) { nr, name },
static const struct {
	uint32_t nr;
	const char *name;
} calls32[] = {
#include "provider/syscalls_32.def"
};
#undef SYSCALL32
#define NCALLS32 (sizeof(calls32) / sizeof(calls32[0]))

/* An entry and a return probe for every index, taken or not. */
static uint32_t
syscall_nids(struct dt_registry *r)
{
	(void)r;
	return 2 * DT_SYSCALL_NINDEX;
}

static bool
has_tracepoint(const struct prov_syscall_call *c)
{
	char path[128];

	snprintf(path, sizeof(path), EVENTS "/sys_enter_%s",
	    *c->tp_name != '\0' ? c->tp_name : c->name);
	return access(path, F_OK) == 0;
}

/*
 * Does the running kernel have this call?  Its tracepoint proves it.  It may
 * be configured out and without one (map_shadow_stack); then the tracepoint
 * of a call with a higher number shows that the kernel knows of it.  335 and
 * 336 filled an old gap, so their numbers say nothing of their age.
 * Without tracefs we cannot tell, and a probe that never fires is harmless.
 */
static bool
kernel_has(const struct prov_syscall_call *c)
{
	const uint32_t first_ordered = 451;

	if (!c->is_new || access(EVENTS, X_OK) != 0)
		return true;
	if (c->nr < first_ordered)
		return has_tracepoint(c);
	for (; c < calls + NCALLS; c++) {
		if (has_tracepoint(c))
			return true;
	}
	return false;
}

/* Add the entry and return probes of one call that the description selects. */
static void
add_call(struct dt_registry *r, const struct dif_pdesc *desc, uint32_t id_base,
    const struct dt_probe *tmpl)
{
	struct dt_probe p = *tmpl;

	for (unsigned is_return = 0; is_return < 2; is_return++) {
		p.id = id_base + 2 * p.index + is_return;
		p.name = is_return ? "return" : "entry";
		p.kind = is_return ? DT_PROBE_CALL_RETURN : DT_PROBE_CALL_ENTRY;
		p.group = DT_GROUP(SYSCALL, is_return);
		if (desc->id != 0 ? desc->id == p.id :
				    dt_field_match(desc->name, p.name))
			dt_registry_offer(r, &p);
	}
}

/* Is the call selected, by name, by its tracepoint's name or by number? */
static bool
selects_call(const struct dif_pdesc *desc, uint32_t id_base, uint32_t index,
    const char *name, const char *tp_name)
{
	if (desc->id != 0)
		return (desc->id - id_base) / 2 == index;
	return dt_field_match(desc->func, name) ||
	    (*tp_name != '\0' && dt_field_is(desc->func, tp_name));
}

static int
syscall_match(
    struct dt_registry *r, const struct dif_pdesc *desc, uint32_t id_base)
{
	struct dt_probe p = {
		.ops = &dt_provider_syscall, .prov = "syscall", .mod = MODULE
	};

	if (desc->id == 0 &&
	    (!dt_field_match(desc->mod, MODULE) ||
		(!dt_field_match(desc->name, "entry") &&
		    !dt_field_match(desc->name, "return"))))
		return 0;
	for (const struct prov_syscall_call *c = calls; c < calls + NCALLS;
	     c++) {
		if (!selects_call(desc, id_base, c->nr, c->name, c->tp_name) ||
		    !kernel_has(c))
			continue;
		p.func = c->name;
		p.index = c->nr;
		p.compat_index =
		    c->nr32 == NO32 ? 0 : DT_SYSCALL_COMPAT + c->nr32;
		add_call(r, desc, id_base, &p);
	}
	p.compat_index = 0;
	for (size_t i = 0; i < NCALLS32; i++) {
		p.index = DT_SYSCALL_COMPAT + calls32[i].nr;
		p.func = calls32[i].name;
		if (selects_call(desc, id_base, p.index, p.func, ""))
			add_call(r, desc, id_base, &p);
	}
	return 0;
}

static const char *const *
syscall_arg_types(const struct dt_probe *probe)
{
	static const char *const return_types[] = { "long", "long", NULL };

	if (probe->kind == DT_PROBE_CALL_RETURN)
		return return_types;
	for (const struct prov_syscall_call *c = calls; c < calls + NCALLS;
	     c++) {
		if (c->nr == probe->index)
			return c->types;
	}
	return NULL;
}

static const char *const syscall_attrs[] = {
	"Evolving/Evolving/Common",
	"Unstable/Unstable/Common",
	"Evolving/Evolving/Common",
	"Evolving/Evolving/Common",
	"Unstable/Unstable/Common",
};

const struct dt_provider_ops dt_provider_syscall = {
	.name = "syscall",
	.nids = syscall_nids,
	.match = syscall_match,
	.arg_types = syscall_arg_types,
	.has_user_pointers = true,
	.privilege = DT_PRIV_PROC,
	.attrs = syscall_attrs,
};
