/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Built-in variables: the sources of their values when a probe fires, and the
 * variables that a process does not have.
 *
 * A clause sets the variables that it reads in the struct rt_vm: those of its
 * predicate before the predicate, the others after the predicate has held.
 */
#include "exec/process/emit/compile.h"

#include <stdlib.h>

#include "base/mem.h"
#include "inproc/inproc.h"

#define ALL_ARGS ((1U << RT_NARGS) - 1)

_Static_assert((unsigned)DIF_NVROWS == RT_NVARS, "one table");

/* ---- arguments ---------------------------------------------------------- */

/* Registers of function arguments (System V ABI, 3.2.3), by the machine's
 * numbers. */
const int pr_arg_regs[] = { X_RDI, X_RSI, X_RDX, X_RCX, X_R8, X_R9 };
#define NARG_REGS JIT_NARGS

static void
frame_reg(struct pr_tr *t, int reg)
{
	x_load(t->a, 8, false, X_RAX, PR_FIRE_AT(frame));
	x_load(t->a, 8, false, X_RAX, X_AT(X_RAX, 8 * reg));
}

/* %rax <- an argument of ERROR: -, EPID, action, offset, fault, value */
static void
error_arg(struct pr_tr *t, unsigned n)
{
	switch (n) {
	case 1:
		x_load(t->a, 4, false, X_RAX, PR_FIRE_AT(epid));
		break;
	case 2:
		x_load(t->a, 4, false, X_RAX, PR_FIRE_AT(action));
		break;
	case 3:
		x_load(t->a, 4, true, X_RAX, PR_FIRE_AT(offset));
		break;
	case 4:
		x_load(t->a, 8, false, X_RAX, PR_FIRE_AT(fault));
		break;
	case 5:
		x_load(t->a, 8, false, X_RAX, PR_FIRE_AT(fault_value));
		break;
	default:
		x_movi(t->a, X_RAX, 0);
		break;
	}
}

/* %rax <- the n-th argument at a function's entry */
static void
entry_arg(struct pr_tr *t, unsigned n)
{
	if (n < NARG_REGS && t->args_intact) {
		x_mov(t->a, X_RAX, pr_arg_regs[n]);
		return;
	}
	if (n < NARG_REGS) {
		frame_reg(t, pr_arg_regs[n]);
		return;
	}
	x_movi(t->a, X_RSI, n);
	pr_call_vm(t, "pr_stack_arg");
}

/* %rax <- an argument of a return: the offset, the value */
static void
return_arg(struct pr_tr *t, unsigned n)
{
	if (n == 1) {
		frame_reg(t, X_RAX);
	} else if (n == 0) {
		x_load(t->a, 8, false, X_RAX, PR_FIRE_AT(probe));
		x_load(t->a, 8, false, X_RAX,
		    X_AT(X_RAX, offsetof(struct pr_probe, off)));
	} else {
		x_movi(t->a, X_RAX, 0);
	}
}

/* %rax <- an argument of a sample: pc in the kernel (0), pc in the program */
static void
sample_arg(struct pr_tr *t, unsigned n)
{
	if (n == 1)
		frame_reg(t, offsetof(struct inproc_frame, ip) / 8);
	else
		x_movi(t->a, X_RAX, 0);
}

static void
load_arg(struct pr_tr *t, unsigned n)
{
	if (t->in_error)
		error_arg(t, n);
	else if (t->body->kind == DT_PROBE_FUNC_ENTRY)
		entry_arg(t, n);
	else if (t->body->kind == DT_PROBE_FUNC_RETURN)
		return_arg(t, n);
	else if (t->body->kind == DT_PROBE_CLOCK)
		sample_arg(t, n);
	else if (t->body->kind == DT_PROBE_USDT)
		pr_usdt_arg(t, n);
	else if (t->body->kind == DT_PROBE_CALL_ENTRY ||
	    t->body->kind == DT_PROBE_CALL_RETURN)
		pr_sys_arg(t, n);
	else
		x_movi(t->a, X_RAX, 0);
}

uint32_t
pr_args_read(const struct plan_clause *const *clauses, size_t n)
{
	struct dif_uses u = { 0 };

	for (size_t i = 0; i < n; i++)
		dif_uses_add(&u, &clauses[i]->uses);
	return (u.args | (uint32_t)(u.vars >> DIF_VROW_ARG0)) & ALL_ARGS;
}

uint32_t
pr_wanted_regs(const struct pr_body *b)
{
	uint32_t args = pr_args_read(b->clauses.v, b->clauses.n);
	uint32_t regs = b->kind == DT_PROBE_FUNC_RETURN ? 1U << X_RAX : 0;

	if (b->wants_all)
		return INPROC_ALL;
	if (b->kind == DT_PROBE_USDT)
		return pr_usdt_regs(b, args);
	if (b->kind == DT_PROBE_CALL_ENTRY || b->kind == DT_PROBE_CALL_RETURN)
		return pr_sys_regs(b, args);
	for (size_t i = 0; b->kind == DT_PROBE_FUNC_ENTRY && i < NARG_REGS;
	     i++) {
		if (args & 1U << i)
			regs |= 1U << pr_arg_regs[i];
	}
	return args >> NARG_REGS != 0 ? regs | 1U << X_RSP : regs;
}

bool
pr_is_of_family(const struct pr_tr *t)
{
	return !t->in_error && t->body != NULL && t->body->is_of_family &&
	    t->body->kind != DT_PROBE_USDT;
}

/* ---- the others --------------------------------------------------------- */

/* %rax <- the address of one of the probe's names */
static void
load_name(struct pr_tr *t, unsigned i)
{
	x_load(t->a, 8, false, X_R11, PR_FIRE_AT(probe));
	x_load(t->a, 4, false, X_R11,
	    X_AT(X_R11, offsetof(struct pr_probe, names) + 4 * i));
	x_lea(t->a, X_RAX, X_IN_REGION(0));
	x_alu(t->a, X_ADD, X_RAX, X_R11);
	pr_changes(t, 1U << X_R11);
}

const char *
pr_var_call(uint32_t id)
{
	switch (id) {
#define PR_CALL(NAME, func)                                                    \
	case DIF_VAR_##NAME:                                                   \
		return #func;
#include "exec/process/inside/pr_vars.def"
	default:
		return NULL;
	}
}

static void
call_var(struct pr_tr *t, uint32_t id, const char *func)
{
	if (id != DIF_VAR_TIMESTAMP || !pr_fast_time(t))
		pr_call_vm(t, func);
}

/* Of the kernel, or counters of the CPU. */
#define VARS_OF_KERNEL                                                         \
	case DIF_VAR_CURTHREAD:                                                \
	case DIF_VAR_STACKDEPTH:                                               \
	case DIF_VAR_CALLER:                                                   \
	case DIF_VAR_CPUCYCLES:                                                \
	case DIF_VAR_CPUINSTRS:                                                \
	case DIF_VAR_VCYCLES:                                                  \
	case DIF_VAR_VINSTRS

/* %rax <- a variable; false: a process does not have it. */
static bool
load_var(struct pr_tr *t, uint32_t id)
{
	switch ((enum dif_builtin)id) {
#define PR_VAR(NAME, func)                                                     \
	case DIF_VAR_##NAME:                                                   \
		call_var(t, id, #func);                                        \
		return true;
#include "exec/process/inside/pr_vars.def"
	case DIF_VAR_ARG0:
	case DIF_VAR_ARG1:
	case DIF_VAR_ARG2:
	case DIF_VAR_ARG3:
	case DIF_VAR_ARG4:
	case DIF_VAR_ARG5:
	case DIF_VAR_ARG6:
	case DIF_VAR_ARG7:
	case DIF_VAR_ARG8:
	case DIF_VAR_ARG9:
		load_arg(t, id - DIF_VAR_ARG0);
		return true;
	case DIF_VAR_PROBEPROV:
		if (pr_is_of_family(t))
			pr_call_vm(t, "pr_provider");
		else
			load_name(t, 0);
		return true;
	case DIF_VAR_PROBEMOD:
	case DIF_VAR_PROBEFUNC:
	case DIF_VAR_PROBENAME:
		load_name(t, id - DIF_VAR_PROBEPROV);
		return true;
	case DIF_VAR_PROBE:
		load_name(t, PR_NNAMES - 1);
		return true;
	case DIF_VAR_ID:
		x_load(t->a, 8, false, X_RAX, PR_FIRE_AT(probe));
		x_load(t->a, 4, false, X_RAX,
		    X_AT(X_RAX, offsetof(struct pr_probe, id)));
		return true;
	case DIF_VAR_ERRNO:
		pr_sys_errno(t);
		return true;
	case DIF_VAR_HOST: /* dt_prog_exec() has put "" in its place */
		x_movi(t->a, X_RAX, 0);
		return true;
	case DIF_VAR_IPL: /* clocks fire in interrupts */
		x_movi(t->a, X_RAX, t->body->kind == DT_PROBE_CLOCK ? 2 : 0);
		return true;
	VARS_OF_KERNEL:
		return false;
	case DIF_VAR_EPID: /* read in place: pr_load_vars() */
#define PR_CALL(NAME, func) case DIF_VAR_##NAME:
#include "exec/process/inside/pr_vars.def"
	case DIF_VAR_ARGS: /* arrays */
	case DIF_VAR_CPUADDR:
		return false;
	}
	return false;
}

bool
pr_var_is_of_kernel(uint32_t id)
{
	switch (id) {
	VARS_OF_KERNEL:
		return true;
	default:
		return false;
	}
}

void
pr_refuse_var(struct pr_tr *t, uint32_t id)
{
	pr_refuse(t, t->pc->clause->span,
	    mem_printf("%s%s is not available with -x substrate=process",
		dif_var_name(id),
		id == DIF_VAR_CURTHREAD ?
		    " (also of curpsinfo and curlwpsinfo)" :
		    ""));
}

void
pr_load_vars(struct pr_tr *t, const struct dif_uses *u)
{
	for (uint64_t left = u->vars; left != 0; left &= left - 1) {
		unsigned row = DIF_ROW_OF(left);
		uint32_t id = dif_var_of_row(row);
		struct x_mem to =
		    X_AT(PR_VM, offsetof(struct rt_vm, vars) + 8 * row);

		if (id == DIF_VAR_EPID || pr_var_call(id) != NULL)
			continue;
		if (!load_var(t, id))
			pr_refuse_var(t, id);
		else
			x_store(t->a, 8, to, X_RAX);
	}
	for (unsigned n = 0; n < RT_NARGS; n++) {
		if (!(u->args & 1U << n))
			continue;
		load_arg(t, n);
		x_store(t->a, 8,
		    X_AT(PR_VM, offsetof(struct rt_vm, args) + 8 * n), X_RAX);
	}
}
