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
	bool is_return = kind == DT_PROBE_FUNC_RETURN;
	uint32_t n =
	    pm->pid == 0 && pm->is_32 ? WIDE_32 : 2 * (uint32_t)pm->pid;

	if (pm->is_family)
		return DT_GROUP(PID_FAMILY,
		    4 * (uint32_t)pm->pid + 2 * pm->is_32 + is_return);
	return DT_GROUP(PID, n + is_return);
}

void
pid_add_probe(struct pid_match *pm, const char *name, enum dt_probe_kind kind,
    const struct dt_usite *sites, size_t n)
{
	struct dt_usites up = { .pid = pm->is_family ? 0 : pm->pid,
		.family = pm->is_family ? pm->pid : 0,
		.is_program = pm->is_program,
		.is_32 = pm->is_32 };
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
		    "more than %u places%s; name a module or a function, or only entries: pid$target:::entry",
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
	    ((pm->pid != 0 && !pm->is_family) || pm->mods.n == 1);
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

#define INSN_MAX 15 /* bytes of an instruction */

/* As pread(2): read a process's memory at an offset of the function at hand. */
static ssize_t
read_mem(const struct pid_match *pm, const struct pid_mem *mem, uint64_t off,
    void *buf, size_t n)
{
	const struct proc_map text = {
		.start = mem->start, .off = mem->off, .is_exec = true
	};
	uint64_t bias;

	if (mem->fd < 0 || !proc_map_bias(&text, pm->es, &bias))
		return -1;
	return pread(mem->fd, buf, n, (off_t)(pm->sym->value + bias + off));
}

/* A byte of the code has been changed: no probe may be on these. */
static uint64_t
taken_around(const struct pid_mem *mem, size_t i)
{
	size_t first = i, last = i;

	if (mem->has_dtrace) {
		/* the byte may be any of a jump, behind which follows the rest
		 * of the instructions that the jump displaces */
		first = i < X86_JUMP_LEN ? 0 : i - X86_JUMP_LEN + 1;
		last = i + INSN_MAX < 63 ? i + INSN_MAX : 63;
	}
	return (~0ULL >> (63 - (last - first))) << first;
}

static uint64_t
taken_in(
    struct pid_match *pm, const struct pid_mem *mem, uint64_t off, size_t n)
{
	const struct pid_mem *plain = &pm->mod_at->plain;
	const uint8_t *code = pm->code.bytes + off;
	uint8_t now[64], others[64];
	bool has_others = read_mem(pm, plain, off, others, n) == (ssize_t)n;
	uint64_t bits = 0;

	if (read_mem(pm, mem, off, now, n) != (ssize_t)n)
		return 0;
	for (size_t i = 0; i < n; i++) {
		/* uprobes of the kernel are in all processes */
		if (now[i] == code[i] || (has_others && now[i] == others[i]) ||
		    (now[i] != 0xcc && !mem->has_dtrace))
			continue;
		bits |= taken_around(mem, i);
	}
	if (bits != 0)
		pm->taken_by = mem->has_dtrace ?
		    "another dtrace has a jump in a process" :
		    "a debugger has a breakpoint";
	return bits;
}

uint64_t
pid_taken(struct pid_match *pm, uint64_t off, size_t n)
{
	uint64_t bits = 0;

	VEC_FOREACH(&pm->mod_at->mems, mem)
		bits |= taken_in(pm, mem, off, n);
	return bits;
}

/* Would a probe there hide a debugger's breakpoint from it, or break another
 * dtrace's jump? */
static bool
is_taken(struct pid_match *pm, uint64_t off)
{
	uint64_t first = off < INSN_MAX ? 0 : off - INSN_MAX;
	size_t n = pm->code.len - first;

	if (pm->mod_at->mems.n == 0 || off >= pm->code.len)
		return false;
	n = n < 32 ? n : 32;
	return pid_taken(pm, first, n) >> (off - first) & 1;
}

void
pid_refuse_taken(struct pid_match *pm, const char *name)
{
	const char *why =
	    pm->taken_by != NULL ? pm->taken_by : "the code is changed";

	if (!pid_is_alone(pm))
		pid_leave_out(pm, name, "%s there", why);
	else
		pm->rc = dt_registry_fail(pm->r, -EBUSY,
		    "%s where the probe of %s would be", why, pm->sym_name);
}

bool
pid_can_probe(struct pid_match *pm, const char *name, uint64_t off)
{
	const struct dt_code_place at = { .code = &pm->code, .off = off };

	if (is_taken(pm, off)) {
		pid_refuse_taken(pm, name);
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
