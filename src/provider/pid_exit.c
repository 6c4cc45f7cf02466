/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exit probes of the pid provider: where a function's callers go on.
 *
 * `exit` is where `ret` goes back to the caller.  The `ret` may be that of
 * another function, if this function ends in a jump to it (a tail call): there
 * `return` is the jump, and there is no value yet.  The target of the jump need
 * not have a name.  Its code is taken to go on up to the next symbol, so in a
 * stripped file there may be returns of functions behind it, too.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "provider/pid_impl.h"
#include "provider/provider.h"
#include "provider/provider_impl.h"
#include "provider/usdt_files.h"
#include "x86/entry.h"

struct prov_pid_exit_walk {
	struct pid_match *pm;
	VEC(struct code_range {
		uint64_t start, end; /* as the file's symbols have it */
	})
	ranges; /* the first is the function */
	VEC(struct dt_usite) sites;
	bool is_lost; /* one jumps to an unknown place */
};

/* The beginning of the next function after an address that has a name, or the
 * end of the section of the function at hand. */
static uint64_t
next_name(const struct pid_match *pm, uint64_t addr)
{
	const struct elf_sect *sect = elf_syms_sect(pm->es, pm->sym->shndx);
	const struct elf_sym *next = elf_syms_next_code(pm->es, addr);

	if (next != NULL)
		return next->value;
	return sect != NULL ? sect->vaddr + sect->size : addr;
}

static struct code_range
range_around(const struct pid_match *pm, uint64_t addr)
{
	const struct elf_sym *sym = elf_syms_by_addr(pm->es, addr);

	if (sym == NULL || !elf_sym_is_code(sym) ||
	    addr - sym->value >= pid_symbol_size(pm, sym))
		return (struct code_range){ addr, next_name(pm, addr) };
	return (struct code_range){ sym->value,
		sym->value + pid_symbol_size(pm, sym) };
}

static void
walk_to(struct prov_pid_exit_walk *w, uint64_t addr)
{
	VEC_FOREACH(&w->ranges, r) {
		if (addr >= r->start && addr < r->end)
			return;
	}
	VEC_PUSH(&w->ranges, range_around(w->pm, addr));
}

static void
add_ret(struct prov_pid_exit_walk *w, uint64_t addr)
{
	uint64_t off = addr - w->pm->sym->value;

	VEC_PUSH(&w->sites, pid_return_at(w->pm, off, X86_ALWAYS));
}

static void
walk_insn(struct prov_pid_exit_walk *w, const struct x86_code *code,
    struct code_range r, uint64_t off, const struct x86_insn *insn)
{
	const struct dt_code_place at = { .code = code, .off = off };

	if (insn->kind == X86_RET &&
	    dt_registry_can_arm(w->pm->r, DT_PROBE_FUNC_RETURN, &at))
		add_ret(w, r.start + off);
	else if (insn->kind == X86_RET)
		w->is_lost = true;
	else if ((insn->kind == X86_JMP || insn->kind == X86_JCC) &&
	    insn->target >= r.end - r.start)
		walk_to(w, r.start + insn->target);
}

static void
walk_range(struct prov_pid_exit_walk *w, struct code_range r)
{
	uint64_t size = r.end - r.start, at;
	struct x86_code code = { NULL, size, w->pm->is_32 };
	struct x86_insn insn;
	uint8_t *bytes;

	if (size == 0 || size > PID_MAX_FUNC ||
	    !elf_syms_offset(w->pm->es, r.start, &at)) {
		w->is_lost = true;
		return;
	}
	code.bytes = bytes = mem_alloc(size);
	if (pread(w->pm->file->fd, bytes, size, (off_t)at) != (ssize_t)size)
		w->is_lost = true;
	for (uint64_t off = 0; !w->is_lost && x86_decode(&code, off, &insn);
	     off += insn.len)
		walk_insn(w, &code, r, off, &insn);
	free(bytes);
}

/* Does the function end in a jump to an address that is not in the code? */
static bool
ends_unknown(struct pid_match *pm)
{
	struct x86_exits exits = { 0 };
	struct x86_insn insn;
	bool is_unknown = false;

	x86_find_exits(&pm->code, pid_outside, pm, &exits);
	VEC_FOREACH(&exits.v, e) {
		if (x86_decode(&pm->code, e->off, &insn))
			is_unknown |= insn.kind == X86_JMP_REG ||
			    insn.kind == X86_JMP_MEM;
	}
	VEC_FREE(&exits.v);
	return is_unknown;
}

#define MAX_TAILS 64 /* more tail calls than any real function has */

void
pid_add_exits(struct pid_match *pm)
{
	struct prov_pid_exit_walk w = { .pm = pm, .is_lost = ends_unknown(pm) };

	VEC_PUSH(&w.ranges,
	    ((struct code_range){
		pm->sym->value, pm->sym->value + pm->code.len }));
	for (size_t i = 0; i < w.ranges.n && !w.is_lost; i++) {
		walk_range(&w, w.ranges.v[i]);
		w.is_lost |= w.ranges.n > MAX_TAILS;
	}
	if (w.is_lost && !pid_is_alone(pm))
		pid_leave_out(pm, PID_EXIT,
		    "it ends in a jump to an address that is "
		    "computed");
	else if (w.is_lost)
		pm->rc = dt_registry_fail(pm->r, -ENOTSUP,
		    "dtrace cannot find out where %s returns to its callers: "
		    "it ends in a jump to a computed address",
		    pm->sym_name);
	else if (w.sites.n != 0)
		pid_add_probe(
		    pm, PID_EXIT, DT_PROBE_FUNC_RETURN, w.sites.v, w.sites.n);
	VEC_FREE(&w.ranges);
	VEC_FREE(&w.sites);
}
