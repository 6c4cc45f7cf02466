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

/* Numbers of processes are less than 2^22 (PID_MAX_LIMIT), so this is none of
 * one. */
#define WIDE_32 (1U << 23)

/* The code of a process is of one kind; all processes have both. */
static uint32_t
group_of(const struct pid_match *pm, enum dt_probe_kind kind)
{
	uint32_t n =
	    pm->pid == 0 && pm->is_32 ? WIDE_32 : 2 * (uint32_t)pm->pid;

	return DT_GROUP(PID, n + (kind == DT_PROBE_FUNC_RETURN));
}

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
		.group = group_of(pm, kind),
		.up = &up };

	dt_registry_add_sites(pm->r, &p, sites, n);
	pm->nprobes += n;
	if (pm->nprobes > MAX_PROBES && pm->rc == 0)
		pm->rc = dt_registry_fail(pm->r, -E2BIG,
		    "more than %u places%s; name modules, functions or offsets",
		    MAX_PROBES, pm->where);
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
	    !pid_field_is_pattern(pm->name) &&
	    (pm->pid != 0 || pm->mods.n == 1);
}

void
pid_leave_out(struct pid_match *pm, const char *name, const char *fmt, ...)
{
	struct strbuf why = { 0 };
	va_list ap;

	if (pm->nleft == MAX_PROBES) {
		if (pm->rc == 0)
			pm->rc = dt_registry_fail(pm->r, -E2BIG,
			    "more than %u places%s cannot be probed; name "
			    "modules, functions or offsets",
			    MAX_PROBES, pm->where);
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

ssize_t
pid_mem_read(const struct pid_match *pm, const struct pid_mem *mem,
    uint64_t off, void *buf, size_t n)
{
	const struct proc_map text = {
		.start = mem->start, .off = mem->off, .is_exec = true
	};
	uint64_t bias;

	if (!proc_map_bias(&text, pm->es, &bias))
		return -1;
	return pread(mem->fd, buf, n, (off_t)(pm->sym->value + bias + off));
}

/* Is there a debugger's breakpoint?  A probe on it would hide it from the
 * debugger. */
static bool
has_breakpoint(const struct pid_match *pm, uint64_t off)
{
	uint8_t now;

	if (off >= pm->code.len || pm->code.bytes[off] == 0xcc)
		return false;
	VEC_FOREACH(&pm->mod_at->mems, mem) {
		if (pid_mem_read(pm, mem, off, &now, 1) == 1 && now == 0xcc)
			return true;
	}
	return false;
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
