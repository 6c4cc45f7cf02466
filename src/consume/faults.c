/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults: a clause that read a wild address, divided by zero, ...
 *
 * A clause that fails often fails at each firing, so the first fault is
 * printed, and after a second the number of further faults of its kind: the
 * same fault at the same place of the same clause, for any probe and any
 * address.  Its hint is printed once.  Programs that use the library and JSON
 * output get every fault.
 */
#include "consume/consume_impl.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/str.h"
#include "base/vec.h"
#include "consume/oformat.h"
#include "dif/dif.h"

const char *
consume_fault_str(uint32_t fault)
{
	static const char *const texts[] = {
		[DIF_FLT_UNKNOWN] = "unknown fault",
		[DIF_FLT_BADADDR] = "invalid address",
		[DIF_FLT_BADALIGN] = "invalid alignment",
		[DIF_FLT_ILLOP] = "illegal operation",
		[DIF_FLT_DIVZERO] = "divide-by-zero",
		[DIF_FLT_NOSCRATCH] = "out of scratch space",
		[DIF_FLT_KPRIV] = "invalid kernel access",
		[DIF_FLT_UPRIV] = "invalid user access",
		[DIF_FLT_TUPOFLOW] = "tuple stack overflow",
		[DIF_FLT_BADSTACK] = "bad stack",
		[DIF_FLT_NOTABLE] = "stack leads into a file that is new to "
				    "dtrace",
	};

	if (fault >= sizeof(texts) / sizeof(texts[0]) || texts[fault] == NULL)
		fault = DIF_FLT_UNKNOWN;
	return texts[fault];
}

bool
fault_has_address(uint32_t fault)
{
	return fault == DIF_FLT_BADADDR || fault == DIF_FLT_BADALIGN ||
	    fault == DIF_FLT_BADSTACK;
}

/* "error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): " */
void
fault_prefix(const struct consumer *c, uint32_t epid, struct strbuf *sb)
{
	const struct dt_probe *probe = NULL;

	strbuf_printf(sb, "error on enabled probe ID %u (ID ", epid);
	if (plan_by_epid(c->pl, epid, &probe) != NULL) {
		strbuf_printf(sb, "%u: ", probe->id);
		dt_probe_format(probe, sb);
	} else
		strbuf_adds(sb, "unknown");
	strbuf_adds(sb, "): ");
}

/* ---- one fault ----------------------------------------------------------- */

static void
add_place(const struct dt_errinfo *ei, struct strbuf *sb)
{
	if (ei->action == 0)
		strbuf_adds(sb, " in predicate");
	else
		strbuf_printf(sb, " in action #%u", ei->action);
	if (ei->offset != -1)
		strbuf_printf(sb, " at DIF offset %d", ei->offset);
}

static void
fault_text(const struct consumer *c, const struct dt_errinfo *ei,
    bool has_address, struct strbuf *sb)
{
	fault_prefix(c, ei->epid, sb);
	strbuf_adds(sb, consume_fault_str(ei->fault));
	if (has_address && fault_has_address(ei->fault))
		strbuf_printf(sb, " (0x%llx)", (unsigned long long)ei->value);
	add_place(ei, sb);
}

/* The object that failed; NULL: unknown. */
static const struct dif_obj *
failed_object(const struct plan_clause *pc, const struct dt_errinfo *ei)
{
	const struct dif_clause *cl = pc->clause;

	if (ei->offset < 0)
		return NULL;
	if (ei->action == 0)
		return cl->pred;
	return ei->action <= cl->actions.n ?
	    cl->actions.v[ei->action - 1].difo :
	    NULL;
}

/* The access of the faulting instruction to the process's memory. */
enum access {
	ACCESS_NONE, /* its addresses are the kernel's */
	ACCESS_READ,
	ACCESS_WRITE,
};

static enum access
access_of(const struct dif_obj *dp, int32_t offset)
{
	size_t i = (size_t)offset / sizeof(uint32_t);

	if (dp == NULL || i >= dp->ntext ||
	    dif_instr_op(dp->text[i]) != DIF_OP_CALL)
		return ACCESS_NONE;
	switch (dif_instr_idx(dp->text[i])) {
	case DIF_SUBR_COPYINSTR:
	case DIF_SUBR_COPYIN:
	case DIF_SUBR_COPYINTO:
		return ACCESS_READ;
	case DIF_SUBR_COPYOUT:
	case DIF_SUBR_COPYOUTSTR:
		return ACCESS_WRITE;
	default:
		return ACCESS_NONE;
	}
}

/*
 * Could the address be one of a process?  Small numbers are not, such as file
 * descriptors passed as addresses; -100 in 32 bits is AT_FDCWD.
 */
static bool
is_user_address(uint64_t addr)
{
	return addr >= 0x10000 && addr >> 47 == 0 &&
	    !(addr >= 0xfffff000 && addr <= 0xffffffff);
}

/*
 * Does the system call take the descriptor of a directory, and then a path?
 * Names that only end so, as lstat, do not.
 */
static bool
takes_directory(const char *call)
{
	static const char *const calls[] = { "execveat", "faccessat",
		"faccessat2", "fchmodat", "fchmodat2", "fchownat", "fstatat64",
		"futimesat", "getxattrat", "linkat", "listxattrat", "mkdirat",
		"mknodat", "name_to_handle_at", "newfstatat", "openat",
		"openat2", "readlinkat", "removexattrat", "renameat",
		"renameat2", "setxattrat", "statx", "unlinkat", "utimensat",
		"utimensat_time64" };

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (strcmp(call, calls[i]) == 0)
			return true;
	}
	return false;
}

/* Does the clause read a string at the descriptor of openat() or its like? */
static bool
is_of_directory(const struct plan_clause *pc, const struct dt_probe *probe,
    const struct dt_errinfo *ei)
{
	const struct dif_obj *dp;

	if (strcmp(probe->prov, "syscall") != 0 ||
	    strcmp(probe->name, "entry") != 0 ||
	    !takes_directory(probe->func) || is_user_address(ei->value))
		return false;
	dp = failed_object(pc, ei);
	return dp != NULL && dp->uses != NULL &&
	    dif_uses_var(dp->uses, DIF_VAR_ARG0);
}

/* A hint is given once for each clause and fault: its reader knows it then. */
static void __attribute__((format(printf, 4, 5)))
hint_once(struct consumer *c, const struct plan_clause *pc,
    const struct dt_errinfo *ei, const char *fmt, ...)
{
	va_list ap;

	VEC_FOREACH(&c->hinted, h) {
		if (h->pc == pc && h->fault == ei->fault && h->fmt == fmt)
			return;
	}
	VEC_PUSH(&c->hinted, ((struct fault_hinted){ pc, ei->fault, fmt }));
	/* behind its message, which waits to be written */
	strbuf_adds(&c->messages, "    hint: ");
	va_start(ap, fmt);
	strbuf_vprintf(&c->messages, fmt, ap);
	va_end(ap);
	strbuf_addc(&c->messages, '\n');
}

/*
 * Hint for an address that may be a process's.  At the entry of a system call
 * the kernel has not read its arguments yet.  Without copyin() or its like an
 * address is read as the kernel's.
 */
static void
hint_at_address(struct consumer *c, const struct plan_clause *pc,
    const struct dt_probe *probe, const struct dt_errinfo *ei)
{
	if (is_of_directory(pc, probe, ei))
		hint_once(c, pc, ei,
		    "arg0 of %s is the descriptor of a directory, or AT_FDCWD "
		    "(-100), the working directory: the path is arg1, and "
		    "vfs:::open has names of files",
		    probe->func);
	if (!is_user_address(ei->value))
		return;
	switch (access_of(failed_object(pc, ei), ei->offset)) {
	case ACCESS_READ:
		if (strcmp(probe->prov, "syscall") == 0 &&
		    strcmp(probe->name, "entry") == 0)
			hint_once(c, pc, ei,
			    "the page may not be in memory yet: read it at the "
			    "return (syscall::%s:return)",
			    probe->func);
		break;
	case ACCESS_NONE:
		if (!pc->in_process)
			hint_once(c, pc, ei,
			    "this may be an address of the process: "
			    "copyinstr() reads a string there, copyin() other "
			    "data");
		break;
	case ACCESS_WRITE:
		break;
	}
}

static void
tell_fault(struct consumer *c, const struct dt_errinfo *ei)
{
	const struct dt_probe *probe = NULL;
	const struct plan_clause *pc = plan_by_epid(c->pl, ei->epid, &probe);
	struct strbuf sb = { 0 };

	fault_text(c, ei, true, &sb);
	consumer_warn_later(c, &sb);
	strbuf_fini(&sb);
	if (ei->fault == DIF_FLT_NOSCRATCH)
		hint_once(c, pc, ei,
		    "-x scratchsize=N gives a clause N bytes, 1m at most");
	if (pc != NULL && ei->fault == DIF_FLT_BADADDR)
		hint_at_address(c, pc, probe, ei);
}

/* ---- faults that repeat -------------------------------------------------- */

#define TOLD_NS 1000000000ULL

static struct fault_told *
find_told(struct consumer *c, const struct plan_clause *pc,
    const struct dt_errinfo *ei)
{
	VEC_FOREACH(&c->faults, f) {
		if (f->pc == pc && f->first.action == ei->action &&
		    f->first.offset == ei->offset &&
		    f->first.fault == ei->fault)
			return f;
	}
	return NULL;
}

static void
tell_more(struct consumer *c, struct fault_told *f)
{
	struct strbuf sb = { 0 };

	if (f->nmore != 0) {
		fault_text(c, &f->first, false, &sb);
		consumer_warn(
		    c, "%s (%llu more)", sb.s, (unsigned long long)f->nmore);
	}
	f->nmore = 0;
	strbuf_fini(&sb);
}

static void
take_fault(struct consumer *c, const struct dt_errinfo *ei)
{
	const struct dt_probe *probe = NULL;
	const struct plan_clause *pc = plan_by_epid(c->pl, ei->epid, &probe);
	struct fault_told *f = find_told(c, pc, ei);
	uint64_t now = consumer_now(c);

	if (f == NULL) {
		VEC_PUSH(&c->faults, ((struct fault_told){ .pc = pc }));
		f = &c->faults.v[c->faults.n - 1];
	} else if (now - f->since_ns < TOLD_NS) {
		f->nmore++;
		return;
	}
	tell_more(c, f);
	f->first = *ei;
	f->since_ns = now;
	tell_fault(c, ei);
}

void
faults_tell_more(struct consumer *c, bool is_last)
{
	uint64_t now = c->faults.n != 0 ? consumer_now(c) : 0;

	VEC_FOREACH(&c->faults, f) {
		if (is_last || now - f->since_ns >= TOLD_NS)
			tell_more(c, f);
	}
}

void
fault_report(struct consumer *c, const struct dt_record *rec)
{
	const struct plan_clause *pc = plan_by_epid(c->pl, rec->err.epid, NULL);
	struct strbuf sb = { 0 };

	/* a recorded string was not in memory: a replay faults if it is read */
	if (pc != NULL && dif_clause_is_aside(pc->clause))
		return;
	c->nfaults++;
	if (c->opts.hooks == NULL && !oformat_has_losses(c)) {
		if (c->opts.allfaults)
			tell_fault(c, &rec->err);
		else
			take_fault(c, &rec->err);
		return;
	}
	fault_text(c, &rec->err, true, &sb);
	if (c->opts.hooks != NULL)
		consumer_answer(
		    c, c->opts.hooks->fault(c->opts.hooks_arg, rec, sb.s));
	else
		c->opts.oformat->fault(c, rec, sb.s);
	strbuf_fini(&sb);
}
