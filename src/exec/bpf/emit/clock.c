/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Clocks of CPUs and of threads.
 *
 *	CPU		thread		what
 *	timestamp	vtimestamp	CLOCK_MONOTONIC, ns
 *	cpucycles	vcycles		cycles, a counter of the CPU
 *	cpuinstrs	vinstrs		instructions retired, likewise
 *
 * A thread's clock is its share of its CPU's: a program on sched_switch adds,
 * to the thread that leaves, the advance of the CPU's clock since the thread
 * came (bx_pcpu.last).  A reader adds the time since then.  Probes are not the
 * thread's work: each moves `last` by its own cost at its end.
 *
 * BPF cannot read the time-stamp counter.  machtimestamp follows from the time
 * of the firing and a scale that dtrace keeps (counters.c).
 */
#include "exec/bpf/emit/difo_impl.h"

#include <stddef.h>

#define LAST_OFF(clk) ((int)(offsetof(struct bx_pcpu, last) + 8 * (clk)))

static const char *const counter_maps[BX_NCLOCKS] = {
	[BX_CLK_CYCLES] = "rtm_cycles",
	[BX_CLK_INSTRS] = "rtm_instrs",
};

static bool
is_used(const struct bx_tr *t, enum bx_clock clk)
{
	return t->lo->vclocks & 1U << clk;
}

/* r0 <- the clock now; a counter that is not running gives a small negative
 * number. */
static void
read_clock(struct bx_tr *t, enum bx_clock clk)
{
	struct bx_asm *a = &t->a;

	if (clk == BX_CLK_TIME) {
		bx_helper(a, H_KTIME_GET_NS);
		return;
	}
	bx_map(a, R1, counter_maps[clk]);
	bx_movi(a, R2, BPF_F_CURRENT_CPU);
	bx_helper(a, H_PERF_EVENT_READ);
}

static int
start_off(const struct bx_tr *t, enum bx_clock clk)
{
	return t->frame.clock - 8 * (int)clk;
}

/* Raise a fault if the counter's value in r0 is an error. */
static void
check_counter(struct walk *w)
{
	bx_stx(&w->t->a, 8, R10, FP_TMP, R0);
	bx_fault_if(
	    w->t, BPF_JSLT, R0, 0, DIF_FLT_ILLOP, bx_dif_off(w), EXIT_FP_TMP);
}

void
bx_cpu_clock(struct walk *w, enum bx_clock clk)
{
	read_clock(w->t, clk);
	check_counter(w);
}

/* r1 <- time that the thread ran before it came to this CPU; 0 if it
 * never did. */
static void
load_past(struct bx_tr *t, enum bx_clock clk)
{
	struct bx_asm *a = &t->a;
	bx_label none = bx_new_label(a);

	bx_task(t, R2);
	bx_map(a, R1, "rtm_vtime");
	bx_movi(a, R3, 0);
	bx_movi(a, R4, 0);
	bx_helper(a, H_TASK_STORAGE_GET);
	bx_movi(a, R1, 0);
	bx_jcci(a, BPF_JEQ, R0, 0, none);
	bx_ldx(a, 8, R1, R0, 8 * (int)clk);
	bx_bind(a, none);
}

/* r0 <- the thread's clock at the start of the firing: the firing's own work
 * does not count. */
void
bx_thread_clock(struct walk *w, enum bx_clock clk)
{
	struct bx_asm *a = &w->t->a;
	bx_label none = bx_new_label(a);

	if (clk == BX_CLK_TIME) {
		bx_time(w->t, R0);
	} else {
		bx_ldx(a, 8, R0, R10, start_off(w->t, clk));
		check_counter(w);
	}
	bx_stx(a, 8, R10, FP_TMP + 8, R0);
	bx_this_pcpu(w->t, none);
	bx_ldx(a, 8, R1, R0, LAST_OFF(clk));
	bx_ldx(a, 8, R2, R10, FP_TMP + 8);
	bx_alu(a, BPF_SUB, R2, R1);
	bx_stx(a, 8, R10, FP_TMP + 8, R2);
	bx_bind(a, none);
	load_past(w->t, clk);
	bx_ldx(a, 8, R0, R10, FP_TMP + 8);
	bx_alu(a, BPF_ADD, R0, R1);
}

/* ---- time spent in probes ------------------------------------------------ */

void
bx_note_clocks(struct bx_tr *t)
{
	for (unsigned clk = BX_CLK_TIME + 1; clk < BX_NCLOCKS; clk++) {
		if (!is_used(t, clk))
			continue;
		read_clock(t, clk);
		bx_stx(&t->a, 8, R10, start_off(t, clk), R0);
	}
}

static void
forget(struct bx_tr *t, enum bx_clock clk)
{
	struct bx_asm *a = &t->a;
	bx_label skip = bx_new_label(a);

	if (clk == BX_CLK_TIME) {
		bx_ldx(a, 8, R7, R10, FP_TS);
		bx_jcci(a, BPF_JEQ, R7, 0, skip);
	} else {
		bx_ldx(a, 8, R7, R10, start_off(t, clk));
		bx_jcci(a, BPF_JSLT, R7, 0, skip);
	}
	bx_this_pcpu(t, skip);
	bx_mov(a, R8, R0);
	read_clock(t, clk);
	bx_alu(a, BPF_SUB, R0, R7);
	bx_jcci(a, BPF_JSLT, R0, 0, skip);
	bx_atomic(a, BPF_ADD, R8, LAST_OFF(clk), R0);
	bx_bind(a, skip);
}

void
bx_forget_probe_time(struct bx_tr *t)
{
	for (unsigned clk = 0; clk < BX_NCLOCKS; clk++) {
		if (is_used(t, clk))
			forget(t, clk);
	}
}

/* ---- at a context switch ------------------------------------------------- */

/* Charge the thread that leaves: `current` is still that thread. */
static void
account(struct bx_tr *t, enum bx_clock clk)
{
	struct bx_asm *a = &t->a;
	bx_label skip = bx_new_label(a);

	read_clock(t, clk);
	bx_jcci(a, BPF_JSLT, R0, 0, skip);
	bx_mov(a, R6, R0);
	bx_this_pcpu(t, skip);
	bx_ldx(a, 8, R7, R0, LAST_OFF(clk));
	bx_stx(a, 8, R0, LAST_OFF(clk), R6);
	bx_alu(a, BPF_SUB, R6, R7);
	bx_helper(a, H_CURRENT_TASK_BTF);
	bx_mov(a, R2, R0);
	bx_map(a, R1, "rtm_vtime");
	bx_movi(a, R3, 0);
	bx_movi(a, R4, BPF_LOCAL_STORAGE_GET_F_CREATE);
	bx_helper(a, H_TASK_STORAGE_GET);
	bx_jcci(a, BPF_JEQ, R0, 0, skip);
	bx_ldx(a, 8, R1, R0, 8 * (int)clk);
	bx_alu(a, BPF_ADD, R1, R6);
	bx_stx(a, 8, R0, 8 * (int)clk, R1);
	bx_bind(a, skip);
}

int
bx_translate_vtime(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;

	bx_note(t, (struct diag_span){ 0 }, "what threads run");
	for (unsigned clk = 0; clk < BX_NCLOCKS; clk++) {
		if (is_used(t, clk))
			account(t, clk);
	}
	bx_movi(a, R0, 0);
	bx_exit(a);
	return bx_tr_finish(t);
}

/* ---- machtimestamp ------------------------------------------------------- */

/* r0 <- (r0 * r5) >> BX_TSC_SHIFT without overflow; r0 is signed. */
static void
scale(struct bx_asm *a)
{
	bx_mov(a, R2, R0);
	bx_alui(a, BPF_ARSH, R2, 20);
	bx_alu(a, BPF_MUL, R2, R5);
	bx_alui(a, BPF_ARSH, R2, BX_TSC_SHIFT - 20);
	bx_alui(a, BPF_AND, R0, (1 << 20) - 1);
	bx_alu(a, BPF_MUL, R0, R5);
	bx_alui(a, BPF_RSH, R0, BX_TSC_SHIFT);
	bx_alu(a, BPF_ADD, R0, R2);
}

/* Two scales take turns, so that one is not changed while it is in use. */
void
bx_machtime(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;

	bx_mapval(a, R1, "rtm_ctl", offsetof(struct bx_ctl, tsc_turn));
	bx_ldx(a, 8, R2, R1, 0);
	bx_alui(a, BPF_AND, R2, 1);
	bx_alui(a, BPF_MUL, R2, sizeof(struct bx_tsc));
	bx_mapval(a, R1, "rtm_ctl", offsetof(struct bx_ctl, tsc));
	bx_alu(a, BPF_ADD, R1, R2);
	bx_ldx(a, 8, R3, R1, offsetof(struct bx_tsc, cycles));
	bx_ldx(a, 8, R4, R1, offsetof(struct bx_tsc, ns));
	bx_ldx(a, 8, R5, R1, offsetof(struct bx_tsc, mult));
	bx_time(t, R0);
	bx_alu(a, BPF_SUB, R0, R4);
	scale(a);
	bx_alu(a, BPF_ADD, R0, R3);
}
