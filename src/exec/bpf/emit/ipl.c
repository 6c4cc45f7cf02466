/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ipl: the interrupt level, from the kernel's preemption count, a variable of
 * each CPU whose bits tell what is running (include/linux/preempt.h):
 *
 *	20-23	non-maskable interrupts
 *	16-19	hardware interrupts
 *	8	a software interrupt is served (9-15: they are held off)
 *
 * A program may read such a variable if the kernel's BTF describes it and its
 * symbol table has the address, which takes CONFIG_KALLSYMS_ALL.  Otherwise the
 * kind of the probe decides.
 */
#include "exec/bpf/bpf_impl.h"

#include <bpf/bpf.h>
#include <linux/btf.h>
#include <unistd.h>

#define NMI_BITS 0xf00000
#define HARDIRQ_BITS 0xf0000
#define SOFTIRQ_BIT 0x100

/* Interrupt levels, as doc/substrates.md defines them. */
enum { IPL_THREAD, IPL_SOFTIRQ, IPL_HARDIRQ, IPL_NMI };

/* r0 <- the count */
static void
load_count(struct bx_asm *a, const struct bx_kvar *v)
{
	bx_percpu(a, R1, v->id);
	bx_helper(a, H_THIS_CPU_PTR);
	bx_ldx(a, 4, R0, R0, (int)v->off);
}

static bool
count_works(const struct bx_kvar *v)
{
	struct bx_asm a = { 0 };
	int fd;

	load_count(&a, v);
	bx_exit(&a);
	fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "dtrace_ipl",
	    BX_LICENSE, a.insns.v, a.insns.n, NULL);
	bx_asm_fini(&a);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

/* Find the count.  From 6.2 to 6.14 it is a member of another variable. */
static bool
find_count(struct bx_layout *lo)
{
	struct bx_ktype own = { .kind = BTF_KIND_VAR,
		.name = "__preempt_count" };
	struct bx_ktype hot = { .kind = BTF_KIND_VAR, .name = "pcpu_hot" };
	struct bx_kvar *v = &lo->preempt_count;

	if (v->is_known)
		return v->works;
	v->is_known = true;
	if (bx_kernel_types(lo, &own, 1) == 0)
		v->id = own.id;
	else if (bx_kernel_offset(lo, "pcpu_hot", "preempt_count", &v->off) ==
		0 &&
	    bx_kernel_types(lo, &hot, 1) == 0)
		v->id = hot.id;
	v->works = v->id != 0 && count_works(v);
	return v->works;
}

static void
level_of_count(struct bx_asm *a)
{
	bx_label done = bx_new_label(a);

	bx_mov(a, R1, R0);
	bx_movi(a, R0, IPL_NMI);
	bx_jcci(a, BPF_JSET, R1, NMI_BITS, done);
	bx_movi(a, R0, IPL_HARDIRQ);
	bx_jcci(a, BPF_JSET, R1, HARDIRQ_BITS, done);
	bx_movi(a, R0, IPL_SOFTIRQ);
	bx_jcci(a, BPF_JSET, R1, SOFTIRQ_BIT, done);
	bx_movi(a, R0, IPL_THREAD);
	bx_bind(a, done);
}

void
bx_ipl(struct bx_tr *t)
{
	if (bx_ctx(t->facts->ctx)->in_thread) {
		bx_movi(&t->a, R0, IPL_THREAD);
	} else if (find_count(t->lo)) {
		load_count(&t->a, &t->lo->preempt_count);
		level_of_count(&t->a);
	} else {
		/* the probe runs in a timer interrupt */
		bx_movi(&t->a, R0, IPL_HARDIRQ);
	}
}
