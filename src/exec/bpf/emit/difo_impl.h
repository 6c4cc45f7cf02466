/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_BPF_EMIT_DIFO_IMPL_H
#define EXEC_BPF_EMIT_DIFO_IMPL_H

/*
 * The walk over one DIF object: what difo*.c, uregs.c and clock.c share.
 */
#include "dif/flow.h"
#include "exec/bpf/tr.h"

/* The walk over one object. */
struct walk {
	struct bx_tr *t;
	const struct dif_obj *dp;
	bx_label *labels; /* per instruction that is a branch target */
	bool *is_reached; /* the kernel accepts no dead code */
	bool *is_target;
	bool *flags_live; /* flags are read before the next compare */
	bx_label end;
	uint32_t pc;
	const struct dif_state *st; /* facts that hold on arrival at pc */
	uint32_t fused;		    /* the branch emitted with its compare */
};

/* ---- difo.c: the place in the object ------------------------------------- */

/* Offset in bytes of the current instruction in the DIF text. */
uint32_t bx_dif_off(const struct walk *w);
struct diag_span bx_here_span(const struct walk *w);
/*
 * The number of elements on the tuple stack.  Refuses the script if paths to
 * this instruction differ in it.
 */
uint32_t bx_tuple_depth(struct walk *w);

/* ---- difo_instr.c: one instruction --------------------------------------- */

/* The BPF register that holds DIF register `dr`, loaded into `tmp` if needed.
 */
int bx_use_reg(struct walk *w, unsigned dr, int tmp);
void bx_set_reg(struct walk *w, unsigned dr, int src);
/* Check for a fault after a runtime call. */
void bx_check_ms_fault(struct walk *w);
/* r0 <- a runtime function that can fault; arguments are in place. */
void bx_call_checked(struct walk *w, const char *func);
/* Emit the instruction at w->pc.  A compare takes the branch behind it along
 * (w->fused). */
void bx_instr(struct walk *w, uint32_t ins);

/* ---- built-in variables, and variables ----------------------------------- */

/* clock.c: r0 <- a CPU's counter; a thread's clock */
void bx_cpu_clock(struct walk *w, enum bx_clock clk);
void bx_thread_clock(struct walk *w, enum bx_clock clk);
/* difo_var.c: LDGA of args[] */
void bx_args(struct walk *w, uint32_t ins);
/* uregs.c: LDGA of uregs[] */
void bx_uregs(struct walk *w, uint32_t ins);
/* LDGS, STGS, ... LDGAA, STTAA */
void bx_variable(struct walk *w, uint32_t ins);

#endif
