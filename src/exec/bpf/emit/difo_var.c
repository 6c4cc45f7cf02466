/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Variables of a DIF object -> BPF: built-ins, and the places of D's own.
 *
 *	globals			one map value, addressed directly; those that
 *				processes reach, too, another one (exec/shared.h)
 *	thread-local		one structure per thread in task storage, looked
 *				up once per clause (FP_TLS); those that
 *				processes reach, too: self.c
 *	clause-local		the stack, or the machine state (layout.c)
 *	associative arrays	a hash map each; the tuple is built as its key
 *				in the machine state
 */
#include "exec/bpf/emit/difo_impl.h"

/* ---- variables ---------------------------------------------------------- */

/* r0 <- the thread's real_parent->tgid.  Both offsets come from the kernel's
 * BTF when the program is linked; a parent that goes away reads as 0. */
static void
emit_ppid(struct walk *w)
{
	struct bx_asm *a = &w->t->a;

	bx_task_number(w->t, R0);
	bx_const(a, R3, "rtc_task_real_parent");
	bx_alu(a, BPF_ADD, R3, R0);
	bx_read_kernel(a, FP_TMP, 8);
	bx_ldx(a, 8, R1, R10, FP_TMP);
	bx_task_process(w->t, R1);
}

/* Kernel stack into the machine state; r0 <- bytes, or negative. */
static void
emit_own_stack(struct walk *w)
{
	struct bx_asm *a = &w->t->a;

	bx_ctx(w->t->facts->ctx)->own_frames(w->t);
	bx_ldx(a, 8, R1, R10, FP_CTX);
	bx_mem_ptr(w->t, R2, w->t->lo->mem_stack);
	bx_movi(a, R3, CALLER_FRAMES * 8);
	bx_helper(a, H_GET_STACK);
	bx_frames_fix(w->t, R9, (int)(RT_MEM_OFF + w->t->lo->mem_stack));
}

static void
emit_stackdepth(struct walk *w)
{
	struct bx_asm *a = &w->t->a;
	bx_label ok = bx_new_label(a);

	emit_own_stack(w);
	bx_jcci(a, BPF_JSGE, R0, 0, ok);
	bx_movi(a, R0, 0);
	bx_bind(a, ok);
	bx_alui(a, BPF_RSH, R0, 3);
}

/* r0 <- pc of the frame above the one that holds the probe. */
static void
emit_caller(struct walk *w)
{
	struct bx_asm *a = &w->t->a;
	bx_label none = bx_new_label(a), done = bx_new_label(a);

	emit_own_stack(w);
	bx_jcci(a, BPF_JSLT, R0, 16, none);
	bx_ldx(a, 8, R0, R9, (int)(RT_MEM_OFF + w->t->lo->mem_stack + 8));
	bx_ja(a, done);
	bx_bind(a, none);
	bx_movi(a, R0, 0);
	bx_bind(a, done);
}

/* r0 <- pc of the caller of the thread's current function, 0 if it has none. */
static void
emit_ucaller(struct walk *w)
{
	bx_ustack(w->t, w->t->lo->mem_stack, 2, 0, bx_dif_off(w));
	bx_ldx(
	    &w->t->a, 8, R0, R9, (int)(RT_MEM_OFF + w->t->lo->mem_stack + 8));
}

static void
emit_errno(struct walk *w)
{
	if (w->t->facts->ctx == BX_CTX_SYS_EXIT && !w->t->clause.in_error)
		bx_ldx(&w->t->a, 8, R0, R10, FP_ERRNO);
	else
		bx_movi(&w->t->a, R0, 0);
}

static void
emit_arg(struct walk *w, unsigned n)
{
	struct bx_tr *t = w->t;

	if (t->clause.in_error) {
		bx_error_arg(t, R0, n);
		return;
	}
	bx_ldx(&t->a, 8, R0, R10, t->frame.args[n]);
	/*
	 * Copy the argument to a new register value: otherwise the verifier
	 * learns from each predicate (arg0 == 3 on this path), must tell the
	 * cases apart in all later clauses, and its work grows with the square
	 * of their number.
	 */
	bx_alui(&t->a, BPF_OR, R0, 0);
}

/* An index beyond the last argument gives 0. */
void
bx_args(struct walk *w, uint32_t ins)
{
	struct bx_asm *a = &w->t->a;
	bx_label done = bx_new_label(a), next;
	int index = bx_use_reg(w, dif_instr_r2(ins), R1);

	for (unsigned n = 0; n < 10; n++) {
		if (!w->t->clause.in_error && w->t->frame.args[n] == 0)
			continue;
		next = bx_new_label(a);
		bx_jcci(a, BPF_JNE, index, (int32_t)n, next);
		emit_arg(w, n);
		bx_ja(a, done);
		bx_bind(a, next);
	}
	bx_movi(a, R0, 0);
	bx_bind(a, done);
	bx_set_reg(w, dif_instr_rd(ins), R0);
}

static void
emit_probe_name(struct walk *w, unsigned which)
{
	struct bx_tr *t = w->t;

	bx_addr(t, R0, "rtm_strs", 0);
	bx_probe_field(t, R1, BX_F_NAMEOFF + which);
	bx_alu(&t->a, BPF_ADD, R0, R1);
}

#define PID_DIGITS 7 /* of PID_MAX_LIMIT, 4194304 */

/*
 * r0 <- the address of "pid123", the process's provider.  The digits form a
 * word, the first in its lowest byte:
 *
 *	mem_prov: 0 0 0 0 0 'p' 'i' 'd' | '1' '2' '3' 0 0 0 0 0
 */
static void
emit_process_provider(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;
	bx_label done = bx_new_label(a);
	int at = (int)(RT_MEM_OFF + t->lo->mem_prov);

	bx_pid(t);
	bx_movi(a, R1, 0);
	for (int i = 0; i < PID_DIGITS; i++) {
		bx_alui(a, BPF_LSH, R1, 8);
		bx_mov(a, R2, R0);
		bx_alui(a, BPF_MOD, R2, 10);
		bx_alui(a, BPF_ADD, R2, '0');
		bx_alu(a, BPF_OR, R1, R2);
		bx_alui(a, BPF_DIV, R0, 10);
		bx_jcci(a, BPF_JEQ, R0, 0, done);
	}
	bx_bind(a, done);
	bx_sti(a, 4, R9, at + 4, 'p' << 8 | 'i' << 16 | 'd' << 24);
	bx_stx(a, 8, R9, at + 8, R1);
	bx_mem_addr(t, R0, t->lo->mem_prov + 5);
}

/* A variable that a runtime function computes. */
static void
emit_runtime(struct walk *w, const char *func)
{
	bx_ldx(&w->t->a, 8, R1, R10, FP_SLOT);
	bx_call_checked(w, func);
}

/* r0 <- this CPU's struct dif_cpuinfo + off; the CPU number is in range. */
static void
emit_cpuinfo(struct walk *w, size_t off)
{
	struct bx_asm *a = &w->t->a;

	bx_helper(a, H_SMP_PROCESSOR_ID);
	bx_fault_if(w->t, BPF_JGE, R0, (int32_t)w->t->lo->ncpus,
	    DIF_FLT_UNKNOWN, bx_dif_off(w), EXIT_ZERO);
	bx_alui(a, BPF_MUL, R0, sizeof(struct dif_cpuinfo));
	bx_mapval(a, R1, "rtm_cpus", (uint32_t)off);
	bx_alu(a, BPF_ADD, R1, R0);
	bx_mov(a, R0, R1);
}

static void
emit_cpu_member(struct walk *w, size_t off)
{
	emit_cpuinfo(w, off);
	bx_ldx(&w->t->a, 4, R0, R0, 0);
	bx_alui(&w->t->a, BPF_LSH, R0, 32);
	bx_alui(&w->t->a, BPF_ARSH, R0, 32);
}

static void
emit_builtin(struct walk *w, uint32_t id)
{
	struct bx_tr *t = w->t;
	struct bx_asm *a = &t->a;

	switch ((enum dif_builtin)id) {
	case DIF_VAR_CURTHREAD:
		bx_task_number(t, R0);
		break;
	case DIF_VAR_TIMESTAMP:
		bx_time(t, R0);
		break;
	case DIF_VAR_VTIMESTAMP:
		bx_thread_clock(w, BX_CLK_TIME);
		break;
	case DIF_VAR_CPUCYCLES:
		bx_cpu_clock(w, BX_CLK_CYCLES);
		break;
	case DIF_VAR_CPUINSTRS:
		bx_cpu_clock(w, BX_CLK_INSTRS);
		break;
	case DIF_VAR_VCYCLES:
		bx_thread_clock(w, BX_CLK_CYCLES);
		break;
	case DIF_VAR_VINSTRS:
		bx_thread_clock(w, BX_CLK_INSTRS);
		break;
	case DIF_VAR_CURCPU:
		emit_cpuinfo(w, 0);
		bx_ptr_to_number(t, R0, R0);
		break;
	case DIF_VAR_CHIP:
		emit_cpu_member(w, offsetof(struct dif_cpuinfo, cpu_chip));
		break;
	case DIF_VAR_LGRP:
		emit_cpu_member(w, offsetof(struct dif_cpuinfo, cpu_lgrp));
		break;
	case DIF_VAR_HOST: /* dt_prog_exec() has put "" in its place */
		bx_movi(a, R0, 0);
		break;
	case DIF_VAR_MACHTIMESTAMP:
		bx_machtime(t);
		break;
	case DIF_VAR_WALLTIMESTAMP:
		bx_helper(a, H_KTIME_GET_NS);
		bx_mapval(a, R1, "rtm_ctl", offsetof(struct bx_ctl, wall_off));
		bx_ldx(a, 8, R1, R1, 0);
		bx_alu(a, BPF_ADD, R0, R1);
		break;
	case DIF_VAR_IPL:
		bx_ipl(t);
		break;
	case DIF_VAR_EPID:
		bx_probe_field(t, R0, BX_F_EPID);
		break;
	case DIF_VAR_ID:
		bx_probe_field(t, R0, BX_F_ID);
		break;
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
		emit_arg(w, id - DIF_VAR_ARG0);
		break;
	case DIF_VAR_STACKDEPTH:
		emit_stackdepth(w);
		break;
	case DIF_VAR_CALLER:
		/* a program's function has no caller in the kernel */
		if (t->facts->ctx == BX_CTX_UPROBE && t->lo->uses_ustack)
			emit_ucaller(w);
		else
			emit_caller(w);
		break;
	case DIF_VAR_USTACKDEPTH:
		bx_ustack(t, t->lo->mem_stack, CALLER_FRAMES, 0, bx_dif_off(w));
		break;
	case DIF_VAR_UCALLER:
		emit_ucaller(w);
		break;
	case DIF_VAR_PROBEPROV:
		if (bx_fires_anywhere(t))
			emit_process_provider(t);
		else
			emit_probe_name(w, bx_name_index(id));
		break;
	case DIF_VAR_PROBEMOD:
	case DIF_VAR_PROBEFUNC:
	case DIF_VAR_PROBENAME:
	case DIF_VAR_PROBE:
		emit_probe_name(w, bx_name_index(id));
		break;
	case DIF_VAR_ZONENAME:
		bx_task_number(t, R2);
		emit_runtime(w, "rt_zonename");
		break;
	case DIF_VAR_EXECARGS:
		emit_runtime(w, "rt_execargs");
		break;
	case DIF_VAR_CWD:
		emit_runtime(w, "rt_cwd");
		break;
	case DIF_VAR_ROOT:
		emit_runtime(w, "rt_root");
		break;
	case DIF_VAR_PID:
		bx_pid(t);
		break;
	case DIF_VAR_TID:
		bx_tid(t);
		break;
	case DIF_VAR_EXECNAME:
	case DIF_VAR_THREADNAME:
		bx_comm(t, R9, (int)(RT_MEM_OFF + MEM_COMM));
		bx_mem_addr(t, R0, MEM_COMM);
		break;
	case DIF_VAR_PPID:
		emit_ppid(w);
		break;
	case DIF_VAR_UID:
		bx_helper(a, H_CURRENT_UID_GID);
		bx_alui(a, BPF_LSH, R0, 32);
		bx_alui(a, BPF_RSH, R0, 32);
		break;
	case DIF_VAR_GID:
		bx_helper(a, H_CURRENT_UID_GID);
		bx_alui(a, BPF_RSH, R0, 32);
		break;
	case DIF_VAR_ERRNO:
		emit_errno(w);
		break;
	case DIF_VAR_CPU:
		bx_helper(a, H_SMP_PROCESSOR_ID);
		break;
	case DIF_VAR_ARGS:
	case DIF_VAR_UREGS:
	case DIF_VAR_CPUADDR: /* arrays */
		bx_refuse(
		    t, bx_here_span(w), "args[] and uregs[] need an index");
		break;
	}
}

static struct bx_var *
find_var(struct walk *w, uint32_t id, uint8_t scope, uint8_t kind)
{
	return bx_var_find(w->t->lo, id, scope, kind);
}

/* Base register and offset of a static variable's first word. */
static int
static_place(struct walk *w, const struct bx_var *v, int tmp, int *off)
{
	struct bx_tr *t = w->t;

	if (v->scope == DIFV_SCOPE_GLOBAL) {
		bx_mapval(&t->a, tmp,
		    v->is_shared ? "rtm_shared" : "rtm_globals",
		    v->is_shared ? v->shared_off : v->off);
		*off = 0;
		return tmp;
	}
	if (t->lo->locals_in_mem) {
		*off = (int)(RT_MEM_OFF + v->off);
		return R9;
	}
	*off = t->frame.locals - 8 * (int)v->off;
	return R10;
}

static void
load_static(struct walk *w, const struct bx_var *v)
{
	int off, base = static_place(w, v, R1, &off);

	bx_ldx(&w->t->a, 8, R0, base, off);
}

/*
 * Copy what the address in r3 points to into the map value at r1: a string of
 * at most v->size bytes, or exactly v->size bytes.
 */
static void
copy_byref(struct walk *w, const struct bx_var *v)
{
	struct bx_asm *a = &w->t->a;

	bx_stx(a, 8, R10, FP_TMP, R3);
	bx_movi(a, R2, v->size);
	bx_helper(a, v->is_string ? H_READ_KERNEL_STR : H_READ_KERNEL);
	bx_fault_if(
	    w->t, BPF_JSLT, R0, 0, DIF_FLT_BADADDR, bx_dif_off(w), EXIT_FP_TMP);
}

/*
 * Store to a by-reference variable whose marker is at base + off (base is not
 * r0 to r5, or is r1 and reloaded from `place_fp`).  DIF register rs holds the
 * value's address; 0 makes the variable NULL.
 */
static void
store_byref(struct walk *w, const struct bx_var *v, unsigned rs, int place_fp)
{
	struct bx_asm *a = &w->t->a;
	bx_label null = bx_new_label(a), done = bx_new_label(a);
	int off, base, src = bx_use_reg(w, rs, R3);

	bx_jcci(a, BPF_JEQ, src, 0, null);
	if (place_fp != 0) {
		bx_ldx(a, 8, R1, R10, place_fp);
		bx_alui(a, BPF_ADD, R1, (int32_t)v->off + 8);
	} else {
		base = static_place(w, v, R1, &off);
		bx_mov(a, R1, base);
		bx_alui(a, BPF_ADD, R1, off + 8);
	}
	bx_mov(a, R3, src);
	copy_byref(w, v);
	if (place_fp != 0) {
		bx_ldx(a, 8, R1, R10, place_fp);
		off = (int)v->off;
		base = R1;
	} else {
		base = static_place(w, v, R1, &off);
	}
	bx_mov(a, R2, base);
	bx_alui(a, BPF_ADD, R2, off + 8);
	bx_stx(a, 8, base, off, R2);
	bx_ja(a, done);
	bx_bind(a, null);
	if (place_fp != 0) {
		bx_ldx(a, 8, R1, R10, place_fp);
		off = (int)v->off;
		base = R1;
	} else {
		base = static_place(w, v, R1, &off);
	}
	bx_sti(a, 8, base, off, 0);
	bx_bind(a, done);
}

static void
store_static(struct walk *w, const struct bx_var *v, unsigned rs)
{
	int off, base, src;

	if (v->is_byref) {
		store_byref(w, v, rs, 0);
		return;
	}
	base = static_place(w, v, R1, &off);
	src = bx_use_reg(w, rs, R2);
	bx_stx(&w->t->a, 8, base, off, src);
}

/* r0 <- thread-local word at v->off, 0 when the thread has no storage. */
static void
load_tls(struct walk *w, const struct bx_var *v)
{
	struct bx_asm *a = &w->t->a;
	bx_label done = bx_new_label(a), own = bx_new_label(a);

	if (v->is_shared) {
		bx_self_load(w->t, v, own);
		bx_ja(a, done);
	}
	bx_bind(a, own);
	bx_ldx(a, 8, R0, R10, FP_TLS);
	bx_jcci(a, BPF_JEQ, R0, 0, done);
	bx_ldx(a, 8, R0, R0, (int)v->off);
	bx_bind(a, done);
}

/* Make FP_TLS point to storage; jump to `fail` if there is none. */
static void
create_tls(struct walk *w, bx_label fail)
{
	struct bx_asm *a = &w->t->a;
	bx_label have = bx_new_label(a), got = bx_new_label(a);

	bx_ldx(a, 8, R0, R10, FP_TLS);
	bx_jcci(a, BPF_JNE, R0, 0, have);
	bx_task(w->t, R2);
	bx_map(a, R1, "rtm_tls");
	bx_movi(a, R3, 0);
	bx_movi(a, R4, BPF_LOCAL_STORAGE_GET_F_CREATE);
	bx_helper(a, H_TASK_STORAGE_GET);
	bx_jcci(a, BPF_JNE, R0, 0, got);
	bx_drop(w->t, DT_DROP_DYNAMIC);
	bx_ja(a, fail);
	bx_bind(a, got);
	bx_stx(a, 8, R10, FP_TLS, R0);
	bx_bind(a, have);
}

static void
store_tls(struct walk *w, const struct bx_var *v, unsigned rs)
{
	struct bx_asm *a = &w->t->a;
	bx_label done = bx_new_label(a), zero = bx_new_label(a);
	bx_label store = bx_new_label(a), own = bx_new_label(a);
	int src;

	if (v->is_shared) {
		bx_self_place(w->t, bx_use_reg(w, rs, R2), own);
		bx_stx(a, 8, R0, (int)v->shared_off, bx_use_reg(w, rs, R2));
		bx_ja(a, done);
	}
	bx_bind(a, own);
	src = bx_use_reg(w, rs, R2);
	bx_jcci(a, BPF_JEQ, src, 0, zero);
	create_tls(w, done);
	bx_ja(a, store);
	bx_bind(a, zero);
	bx_ldx(a, 8, R0, R10, FP_TLS);
	bx_jcci(a, BPF_JEQ, R0, 0, done);
	bx_bind(a, store);
	if (v->is_byref) {
		store_byref(w, v, rs, FP_TLS);
	} else {
		src = bx_use_reg(w, rs, R2);
		bx_stx(a, 8, R0, (int)v->off, src);
	}
	bx_bind(a, done);
}

/* ---- associative arrays ------------------------------------------------- */

/* r1 <- the thread's serial number; 0: it has none, and so no elements. */
static void
load_serial(struct walk *w)
{
	struct bx_asm *a = &w->t->a;
	bx_label none = bx_new_label(a);

	bx_ldx(a, 8, R1, R10, FP_TLS);
	bx_jcci(a, BPF_JEQ, R1, 0, none);
	bx_ldx(a, 8, R1, R1, 0);
	bx_bind(a, none);
}

/*
 * Copy the string (at most n bytes) or bytes (exactly n) of element i of the
 * tuple stack to the key at `off`.  A datum larger than the space of a string
 * is a fault, which the runtime raises.
 */
static void
key_copy(struct walk *w, int i, uint32_t off, uint32_t n, const char *copy)
{
	struct bx_asm *a = &w->t->a;

	bx_ldx(a, 8, R1, R10, FP_SLOT);
	bx_movi(a, R2, off);
	bx_ldx(a, 8, R3, R10, FP_TUPLE - 8 * i);
	bx_movi(a, R4, n);
	bx_call(a, copy);
	bx_check_ms_fault(w);
}

/* Clear the padding of the last word of `size` bytes: it is compared too. */
static void
key_pad(struct walk *w, uint32_t off, uint32_t size)
{
	if (size % 8 != 0)
		bx_sti(
		    &w->t->a, 8, R9, (int)(RT_MEM_OFF + off + size / 8 * 8), 0);
}

/* Copy a string.  It takes strsize bytes, with zeroes behind a shorter one. */
static uint32_t
key_string(struct walk *w, int i, uint32_t off)
{
	uint32_t strsize = w->t->lo->opts->strsize;
	uint32_t max = w->st->tuple[i].n;
	struct bx_asm *a = &w->t->a;

	key_pad(w, off, strsize);
	if (max != 0 && max < strsize) {
		for (uint32_t at = 0; at < strsize; at += 8)
			bx_sti(a, 8, R9, (int)(RT_MEM_OFF + off + at), 0);
		key_copy(w, i, off, max, "rt_store_str");
	} else {
		key_copy(w, i, off, strsize, "rt_store_str");
	}
	return strsize;
}

static uint32_t
key_bytes(struct walk *w, int i, uint32_t off)
{
	uint32_t strsize = w->t->lo->opts->strsize;
	uint32_t n = w->st->tuple[i].n;

	if (n < strsize)
		key_pad(w, off, n);
	if (n != 0)
		key_copy(w, i, off, n, "rt_store_bytes");
	return n < strsize ? n : strsize;
}

/* Copy element i of the tuple stack into the key at `off`.  Returns its
 * size. */
static uint32_t
key_element(struct walk *w, int i, uint32_t off)
{
	const struct dif_pushed *p = &w->st->tuple[i];
	struct bx_asm *a = &w->t->a;

	switch ((enum dif_pushed_kind)p->kind) {
	case DIF_P_VALUE:
		bx_ldx(a, 8, R1, R10, FP_TUPLE - 8 * i);
		bx_stx(a, 8, R9, (int)(RT_MEM_OFF + off), R1);
		return 8;
	case DIF_P_STRING:
	case DIF_P_BYTES:
		if (!p->is_const)
			bx_refuse(w->t, bx_here_span(w),
			    "the size of key %d "
			    "is not a constant",
			    i + 1);
		else if (p->kind == DIF_P_STRING)
			return key_string(w, i, off);
		else
			return key_bytes(w, i, off);
		return 0;
	case DIF_P_MIXED:
		break;
	}
	bx_refuse(w->t, bx_here_span(w),
	    "key %d differs in kind between two "
	    "ways to instruction %u",
	    i + 1, w->pc);
	return 0;
}

/*
 * Build the key of an array in the machine state: the thread's serial number
 * for thread-local arrays, then every tuple element, each 8-aligned.
 */
static bool
build_key(struct walk *w, struct bx_var *v)
{
	uint32_t off = w->t->lo->mem_tuple;
	int depth = (int)bx_tuple_depth(w);

	if (v->scope == DIFV_SCOPE_THREAD) {
		load_serial(w);
		bx_stx(&w->t->a, 8, R9, (int)(RT_MEM_OFF + off), R1);
		off += 8;
	}
	for (int i = 0; i < depth && w->t->refused.why == NULL; i++)
		off += (key_element(w, i, off) + 7) & ~7U;
	off -= w->t->lo->mem_tuple;
	if (off == 0)
		bx_refuse(w->t, bx_here_span(w),
		    "the key of an array is "
		    "empty");
	if (v->key_size == 0)
		v->key_size = off;
	if (v->key_size != off)
		bx_refuse(w->t, bx_here_span(w),
		    "the keys of an array differ in size between uses");
	return w->t->refused.why == NULL;
}

static void
lookup_array(struct walk *w, const struct bx_var *v)
{
	bx_map(&w->t->a, R1, v->map);
	bx_mem_ptr(w->t, R2, w->t->lo->mem_tuple);
	bx_helper(&w->t->a, H_MAP_LOOKUP);
}

static void
load_array(struct walk *w, struct bx_var *v, unsigned rd)
{
	struct bx_asm *a = &w->t->a;
	bx_label none = bx_new_label(a);

	/* build the key first: a bad key is a fault even in an empty array */
	if (!build_key(w, v))
		return;
	lookup_array(w, v);
	bx_jcci(a, BPF_JEQ, R0, 0, none);
	if (v->is_byref)
		bx_ptr_to_number(w->t, R0, R0);
	else
		bx_ldx(a, 8, R0, R0, 0);
	bx_bind(a, none);
	bx_set_reg(w, rd, R0);
}

/*
 * Give the thread a serial number, drawn once from a counter; 0 means not yet.
 * It keeps the thread's array elements apart from those of a later thread with
 * the same tid.
 */
static void
ensure_serial(struct walk *w)
{
	struct bx_asm *a = &w->t->a;
	bx_label have = bx_new_label(a);

	bx_ldx(a, 8, R3, R10, FP_TLS);
	bx_ldx(a, 8, R1, R3, 0);
	bx_jcci(a, BPF_JNE, R1, 0, have);
	bx_mapval(a, R2, "rtm_serial", 0);
	bx_movi(a, R1, 1);
	bx_atomic(a, BPF_ADD | BPF_FETCH, R2, 0, R1);
	bx_alui(a, BPF_ADD, R1, 1);
	bx_stx(a, 8, R3, 0, R1);
	bx_bind(a, have);
}

static void
delete_element(struct walk *w, const struct bx_var *v)
{
	bx_map(&w->t->a, R1, v->map);
	bx_mem_ptr(w->t, R2, w->t->lo->mem_tuple);
	bx_helper(&w->t->a, H_MAP_DELETE);
}

/* mem_val <- the new value. */
static void
stage_value(struct walk *w, const struct bx_var *v, unsigned rs)
{
	struct bx_asm *a = &w->t->a;
	uint32_t val = w->t->lo->mem_val;
	int src = bx_use_reg(w, rs, R3);

	if (v->is_byref) {
		bx_mov(a, R3, src);
		bx_mem_ptr(w->t, R1, val);
		copy_byref(w, v);
	} else {
		bx_stx(a, 8, R9, (int)(RT_MEM_OFF + val), src);
	}
}

/*
 * Write the new value to the element at r0; a value by reference is in mem_val.
 * The element stays in its place, since its address may be in use: an update
 * through the map would move it.
 */
static void
replace_value(struct walk *w, const struct bx_var *v, unsigned rs)
{
	struct bx_asm *a = &w->t->a;

	if (!v->is_byref) {
		bx_stx(a, 8, R0, 0, bx_use_reg(w, rs, R3));
		return;
	}
	bx_mov(a, R1, R0);
	bx_movi(a, R2, v->size);
	bx_mem_addr(w->t, R3, w->t->lo->mem_val);
	bx_helper(a, H_READ_KERNEL);
}

/* Create an element with the value in mem_val. */
static void
create_element(struct walk *w, const struct bx_var *v)
{
	struct bx_asm *a = &w->t->a;
	bx_label ok = bx_new_label(a);
	uint32_t val = w->t->lo->mem_val;

	bx_map(a, R1, v->map);
	bx_mem_ptr(w->t, R2, w->t->lo->mem_tuple);
	bx_mem_ptr(w->t, R3, val);
	bx_movi(a, R4, BPF_ANY);
	bx_helper(a, H_MAP_UPDATE);
	bx_jcci(a, BPF_JEQ, R0, 0, ok);
	bx_drop(w->t, DT_DROP_DYNAMIC);
	bx_bind(a, ok);
}

static void
store_array(struct walk *w, struct bx_var *v, unsigned rs)
{
	struct bx_asm *a = &w->t->a;
	bx_label done = bx_new_label(a), store = bx_new_label(a);
	bx_label absent = bx_new_label(a);
	int src;

	if (v->scope == DIFV_SCOPE_THREAD) {
		create_tls(w, done);
		ensure_serial(w);
	}
	if (!build_key(w, v))
		return;
	src = bx_use_reg(w, rs, R3);
	bx_jcci(a, BPF_JNE, src, 0, store);
	delete_element(w, v);
	bx_ja(a, done);
	bx_bind(a, store);
	/* a bad reference must not change the array */
	if (v->is_byref)
		stage_value(w, v, rs);
	lookup_array(w, v);
	bx_jcci(a, BPF_JEQ, R0, 0, absent);
	replace_value(w, v, rs);
	bx_ja(a, done);
	bx_bind(a, absent);
	if (!v->is_byref)
		stage_value(w, v, rs);
	create_element(w, v);
	bx_bind(a, done);
}

void
bx_variable(struct walk *w, uint32_t ins)
{
	uint32_t id = dif_instr_idx(ins);
	unsigned r = dif_instr_rd(ins);
	struct bx_var *v;

	switch (dif_instr_op(ins)) {
	case DIF_OP_LDGS:
		if (id < DIF_VAR_USER_MIN)
			emit_builtin(w, id);
		else
			load_static(w,
			    find_var(
				w, id, DIFV_SCOPE_GLOBAL, DIFV_KIND_SCALAR));
		bx_set_reg(w, r, R0);
		break;
	case DIF_OP_LDTS:
		load_tls(
		    w, find_var(w, id, DIFV_SCOPE_THREAD, DIFV_KIND_SCALAR));
		bx_set_reg(w, r, R0);
		break;
	case DIF_OP_LDLS:
		if (id < DIF_VAR_USER_MIN)
			bx_movi(&w->t->a, R0, 0);
		else
			load_static(w,
			    find_var(
				w, id, DIFV_SCOPE_LOCAL, DIFV_KIND_SCALAR));
		bx_set_reg(w, r, R0);
		break;
	case DIF_OP_STGS:
		store_static(
		    w, find_var(w, id, DIFV_SCOPE_GLOBAL, DIFV_KIND_SCALAR), r);
		break;
	case DIF_OP_STTS:
		store_tls(
		    w, find_var(w, id, DIFV_SCOPE_THREAD, DIFV_KIND_SCALAR), r);
		break;
	case DIF_OP_STLS:
		store_static(
		    w, find_var(w, id, DIFV_SCOPE_LOCAL, DIFV_KIND_SCALAR), r);
		break;
	case DIF_OP_LDGAA:
	case DIF_OP_LDTAA:
		v = find_var(w, id,
		    dif_instr_op(ins) == DIF_OP_LDGAA ? DIFV_SCOPE_GLOBAL :
							DIFV_SCOPE_THREAD,
		    DIFV_KIND_ARRAY);
		load_array(w, v, r);
		break;
	default:
		v = find_var(w, id,
		    dif_instr_op(ins) == DIF_OP_STGAA ? DIFV_SCOPE_GLOBAL :
							DIFV_SCOPE_THREAD,
		    DIFV_KIND_ARRAY);
		store_array(w, v, r);
		break;
	}
}
