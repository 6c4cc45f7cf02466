/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is this system call a 32-bit one?  Its number has another meaning then.
 *
 * The kernel tells in the current task (TS_COMPAT), but getting the task takes
 * a helper call: 18 ns, a quarter of the cost of counting a call.  There is a
 * cheaper way.  Each kind of entry has its own assembly stub, which puts the
 * user's registers on the stack and calls a C function with their address:
 *
 *	regs - 8	return address into the stub
 *	regs		struct pt_regs
 *
 * So the word below the registers identifies the stub of a call, and no program
 * can influence it.  The first 64-bit call teaches the address of its stub: a
 * call whose address is not the known one asks the task, and if that says 64
 * bit, the program notes the address in the control page.
 *
 * Two exceptions.  With FRED one stub serves all kinds of events, and the upper
 * bits of the saved ss hold the kind; they are 0 everywhere else.  If they are
 * not 0, the program asks the task.  And at the return of a call the task may
 * run another program than at its entry (execve): returns always ask.
 *
 * The two words are read through bpf_rdonly_cast() (Linux 6.2), which costs
 * nothing: it only tells the verifier to have faults handled.
 */
#include "exec/bpf/bpf_impl.h"

#include <bpf/bpf.h>
#include <linux/btf.h>
#include <stddef.h>
#include <unistd.h>

/* task_struct begins with thread_info { flags, syscall_work, u32 status };
 * TS_COMPAT: the current system call is a 32-bit one (asm/thread_info.h). */
#define TASK_STATUS 16
#define TS_COMPAT 2
/* struct pt_regs of x86-64 begins with r15; ss is its last word. */
#define REGS_SS 160
#define SS_MAX 0xffff

/* Try the cast: it may be in BTF and not work, as the kernel may have no
 * JIT. */
static bool
cast_works(const struct bx_cast *c)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = R1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K,
		    .dst_reg = R2,
		    .imm = (int32_t)c->regs_type },
		{ .code = BPF_JMP | BPF_CALL,
		    .src_reg = BPF_PSEUDO_KFUNC_CALL,
		    .imm = (int32_t)c->func },
		{ .code = BPF_LDX | BPF_MEM | BPF_DW,
		    .dst_reg = R0,
		    .src_reg = R0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "dtrace_cast",
	    BX_LICENSE, insns, sizeof(insns) / sizeof(insns[0]), NULL);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

bool
bx_cast_find(struct bx_layout *lo)
{
	struct bx_cast *c = &lo->cast;
	struct bx_ktype want[] = {
		{ .kind = BTF_KIND_FUNC, .name = "bpf_rdonly_cast" },
		{ .kind = BTF_KIND_STRUCT, .name = "pt_regs" },
	};

	if (!c->is_known) {
		c->is_known = true;
		c->works = bx_kernel_types(lo, want, 2) == 0;
		c->func = want[0].id;
		c->regs_type = want[1].id;
		c->works = c->works && cast_works(c);
	}
	return c->works;
}

/* rd <- the word at the user's registers + off */
static void
load_at_regs(struct bx_tr *t, int rd, int off)
{
	struct bx_asm *a = &t->a;

	bx_ldx(a, 8, R1, R6, 0);
	bx_alui(a, BPF_ADD, R1, off);
	bx_movi(a, R2, t->lo->cast.regs_type);
	bx_kfunc(a, t->lo->cast.func);
	bx_ldx(a, 8, rd, R0, 0);
}

/* r0 <- TS_COMPAT or 0, from the task in `r`. */
static void
load_status(struct bx_tr *t, int r)
{
	bx_ldx(&t->a, 4, R0, r, TASK_STATUS);
	bx_alui(&t->a, BPF_AND, R0, TS_COMPAT);
}

void
bx_is_compat_entry(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;
	bx_label ask = bx_new_label(a), have = bx_new_label(a);

	bx_note(t, (struct diag_span){ 0 }, "is it a 64-bit call?");
	load_at_regs(t, R8, -8);
	load_at_regs(t, R3, REGS_SS);
	bx_movi(a, R0, 0);
	bx_jcci(a, BPF_JGT, R3, SS_MAX, ask);
	bx_mapval(a, R1, "rtm_ctl", offsetof(struct bx_ctl, stub64));
	bx_ldx(a, 8, R2, R1, 0);
	bx_jcc(a, BPF_JEQ, R8, R2, have);
	bx_bind(a, ask);
	bx_helper(a, H_CURRENT_TASK_BTF);
	load_status(t, R0);
	bx_jcci(a, BPF_JNE, R0, 0, have);
	bx_mapval(a, R1, "rtm_ctl", offsetof(struct bx_ctl, stub64));
	bx_stx(a, 8, R1, 0, R8);
	bx_bind(a, have);
}

void
bx_is_compat(struct bx_tr *t)
{
	bx_task(t, R0);
	load_status(t, R0);
}
