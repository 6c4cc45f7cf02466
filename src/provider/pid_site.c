/* SPDX-License-Identifier: BSD-2-Clause */
/* Places in a function's code: may a probe be there?  Add it or say why not. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "provider/pid_impl.h"
#include "provider/provider.h"
#include "provider/provider_impl.h"
#include "provider/usdt_files.h"

#define MAX_PROBES 250000 /* as fasttrap-max-probes; and as many refusals */

void
pid_add_probe(struct pid_match *pm, const char *name, enum dt_probe_kind kind,
    const struct dt_usite *sites, size_t n)
{
	struct dt_usites up = {
		.pid = pm->pid, .is_program = pm->is_program, .is_32 = pm->is_32
	};
	struct dt_probe p = { .ops = &dt_provider_pid,
		.prov = pm->prov,
		.mod = pm->m->name,
		.func = pm->sym_name,
		.name = name,
		.kind = kind,
		.group = DT_GROUP(PID,
		    2 * (uint32_t)pm->pid + (kind == DT_PROBE_FUNC_RETURN)),
		.up = &up };

	dt_registry_add_sites(pm->r, &p, sites, n);
	pm->nprobes += n;
	if (pm->nprobes > MAX_PROBES && pm->rc == 0)
		pm->rc = dt_registry_fail(pm->r, -E2BIG,
		    "more than %u places "
		    "in process %d; name modules, functions or offsets",
		    MAX_PROBES, (int)pm->pid);
}

uint64_t
pid_semaphore_at(const struct pid_match *pm, uint64_t off)
{
	return pm->brings != NULL ? dt_usdt_semaphore(pm->brings, off) : 0;
}

struct dt_usite
pid_site_at(const struct pid_match *pm, uint64_t off)
{
	struct dt_usite site = { .file = pm->file, .is_first = off == 0 };

	elf_syms_offset(pm->es, pm->sym->value + off, &site.off);
	site.semaphore = pid_semaphore_at(pm, site.off);
	return site;
}

bool
pid_is_alone(const struct pid_match *pm)
{
	return !pid_field_is_pattern(pm->func) &&
	    !pid_field_is_pattern(pm->name);
}

void
pid_leave_out(struct pid_match *pm, const char *name, const char *fmt, ...)
{
	struct strbuf why = { 0 };
	va_list ap;

	if (pm->nleft == MAX_PROBES) {
		if (pm->rc == 0)
			pm->rc = dt_registry_fail(pm->r, -E2BIG,
			    "more than %u places in process %d cannot be "
			    "probed; name modules, functions or offsets",
			    MAX_PROBES, (int)pm->pid);
		return;
	}
	va_start(ap, fmt);
	strbuf_vprintf(&why, fmt, ap);
	va_end(ap);
	pm->nleft++;
	dt_registry_leave_out(pm->r,
	    mem_printf(
		"%s:%s:%s:%s", pm->prov, pm->m->name, pm->sym_name, name),
	    strbuf_steal(&why));
}

/* Is there a debugger's breakpoint?  A probe on it would hide it from the
 * debugger. */
static bool
has_breakpoint(const struct pid_match *pm, uint64_t off)
{
	uint8_t now;

	return pm->mem_fd >= 0 && pm->has_bias && off < pm->code.len &&
	    pm->code.bytes[off] != 0xcc &&
	    pread(pm->mem_fd, &now, 1,
		(off_t)(pm->sym->value + pm->bias + off)) == 1 &&
	    now == 0xcc;
}

void
pid_refuse_breakpoint(struct pid_match *pm, const char *name)
{
	if (!pid_is_alone(pm))
		pid_leave_out(pm, name, "a debugger has a breakpoint there");
	else
		pm->rc = dt_registry_fail(pm->r, -EBUSY,
		    "a debugger has a "
		    "breakpoint where the probe of %s would be",
		    pm->sym_name);
}

bool
pid_can_probe(struct pid_match *pm, const char *name, uint64_t off)
{
	const struct dt_code_place at = { .code = &pm->code, .off = off };

	if (has_breakpoint(pm, off)) {
		pid_refuse_breakpoint(pm, name);
		return false;
	}
	if (dt_registry_can_arm(pm->r, DT_PROBE_FUNC_OFFSET, &at))
		return true;
	if (!pid_is_alone(pm))
		pid_leave_out(pm, name,
		    "no probe can be on such an instruction (a "
		    "lock prefix, VEX, SYSCALL, HLT, ...)");
	else
		pm->rc = dt_registry_fail(pm->r, -ENOTSUP,
		    "the kernel puts no "
		    "probe on the instruction at %s+0x%" PRIx64,
		    pm->sym_name, off);
	return false;
}
