/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * After a process has died: find the place, and whether dtrace changed it.
 */
#include "exec/process/proc.h"

#include <stdlib.h>
#include <string.h>

#include "base/kmsg.h"
#include "base/str.h"
#include "base/vec.h"
#include "provider/usites.h"
#include "sym/elf_syms.h"

/* ---- places ------------------------------------------------------------- */

/* File, offset and function; false: the address is not in that file. */
static bool
name_in_file(const struct pr_file *f, uint64_t addr, struct strbuf *out)
{
	uint64_t vaddr = addr - f->bias, off;
	const struct elf_sym *sym;

	if (f->code == NULL || f->code->es == NULL || f->nplanned == 0 ||
	    !elf_syms_offset(f->code->es, vaddr, &off))
		return false;
	strbuf_printf(out, "%s+0x%llx", f->file->path, (unsigned long long)off);
	sym = elf_syms_by_addr(f->code->es, vaddr);
	if (sym != NULL)
		strbuf_printf(out, " (%s+0x%llx)",
		    elf_sym_name(f->code->es, sym),
		    (unsigned long long)(vaddr - sym->value));
	return true;
}

static void
name_place(const struct pr_proc *p, uint64_t addr, struct strbuf *out)
{
	VEC_FOREACH(&p->files, f) {
		if (name_in_file(f, addr, out))
			return;
	}
}

/* ---- what is ours ------------------------------------------------------- */

static void
add_bytes(struct strbuf *out, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		strbuf_printf(out, " %02x", bytes[i]);
}

static void
describe_jump(const struct inproc_write *w, uint64_t addr, struct strbuf *out)
{
	strbuf_printf(out, "byte %u of a jump that dtrace has planted:",
	    (unsigned)(addr - w->at));
	add_bytes(out, w->new, w->len);
	strbuf_adds(out, " instead of");
	add_bytes(out, w->old, w->len);
	/* behind an instruction of the file, the kernel goes on for a uprobe */
	if (addr != w->at)
		strbuf_adds(out,
		    " (a uprobe of another tracer, or a debugger's breakpoint, may be at this jump)");
}

/* Describe our code at the address; does one of its parts begin there? */
static bool
describe_part(
    const struct inproc_proc *entered, uint64_t addr, struct strbuf *out)
{
	const struct inproc_write *w;

	switch (inproc_part_at(entered, addr, &w)) {
	case INPROC_NOTHING:
		break;
	case INPROC_JUMP:
		describe_jump(w, addr, out);
		return addr == w->at;
	case INPROC_TRAMPOLINE:
		strbuf_adds(out, "a trampoline of dtrace");
		break;
	case INPROC_CODE:
		strbuf_printf(out, "dtrace's code of probes, offset 0x%llx",
		    (unsigned long long)(addr - entered->code));
		break;
	}
	return false;
}

static size_t
count_firing(const struct pr_exec *x, pid_t pid)
{
	size_t n = 0;

	for (uint32_t i = 0; i < x->conf.nthreads; i++) {
		const struct pr_shared *sh = pr_shared(x, i);

		n += pr_owner(x, i) >> 32 == (uint64_t)pid &&
		    (sh->active != 0 || sh->counting != 0);
	}
	return n;
}

/* NULL if the text is empty. */
static char *
text_of(struct strbuf *sb)
{
	if (sb->len != 0)
		return strbuf_steal(sb);
	strbuf_fini(sb);
	return NULL;
}

void
pr_look_back(const struct dt_exec *e, pid_t pid, const struct kmsg_fault *f,
    struct dt_last_place *out)
{
	const struct pr_exec *x = pr_of(e);
	struct strbuf place = { 0 }, ours = { 0 };

	out->nfiring = count_firing(x, pid);
	VEC_FOREACH(&x->plant.procs, pp) {
		if (f == NULL || (*pp)->pid != pid || (*pp)->entered == NULL)
			continue;
		name_place(*pp, f->ip, &place);
		out->is_begin = describe_part((*pp)->entered, f->ip, &ours);
	}
	out->place = text_of(&place);
	out->ours = text_of(&ours);
}
