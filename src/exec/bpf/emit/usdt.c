/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arguments of USDT sites.
 *
 * Each site of a probe has its arguments elsewhere: in a register here, on the
 * stack there.  So the program finds a description of them by the site's
 * number, which is in its cookie, and carries it out:
 *
 *	cookie: probe's place | site's number --> rtm_usdt[number].args[n]
 *
 * Equal sites share a description; all groups share the map.
 */
#include "exec/bpf/bpf_impl.h"

#include <asm/ptrace.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "provider/usites.h"

#define NARGS 10  /* arg0 .. arg9 */
#define ROOM 4096 /* room for descriptions of later sites */

enum { HAS_BASE = 1, HAS_INDEX = 2, IS_MEMORY = 4, IS_SIGNED = 8 };

/* One argument, for the program; struct usdt_arg explains the members. */
struct bx_uarg {
	int64_t disp;
	uint16_t base, index;	     /* offsets in struct pt_regs */
	uint8_t shift;		     /* of the index */
	uint8_t left, right;	     /* shifts that cut the value out */
	uint8_t flags : 4, size : 4; /* size: of what is read from memory */
};
_Static_assert(sizeof(struct bx_uarg) == 16, "the program's offsets");
#define DESC_SIZE sizeof(struct bx_uarg)
#define OFF_FLAGS 15

/* ---- the map ------------------------------------------------------------- */

static const uint16_t reg_offsets[USDT_NREGS] = {
	[USDT_REG_AX] = offsetof(struct pt_regs, rax),
	[USDT_REG_BX] = offsetof(struct pt_regs, rbx),
	[USDT_REG_CX] = offsetof(struct pt_regs, rcx),
	[USDT_REG_DX] = offsetof(struct pt_regs, rdx),
	[USDT_REG_SI] = offsetof(struct pt_regs, rsi),
	[USDT_REG_DI] = offsetof(struct pt_regs, rdi),
	[USDT_REG_BP] = offsetof(struct pt_regs, rbp),
	[USDT_REG_SP] = offsetof(struct pt_regs, rsp),
	[USDT_REG_R8] = offsetof(struct pt_regs, r8),
	[USDT_REG_R9] = offsetof(struct pt_regs, r9),
	[USDT_REG_R10] = offsetof(struct pt_regs, r10),
	[USDT_REG_R11] = offsetof(struct pt_regs, r11),
	[USDT_REG_R12] = offsetof(struct pt_regs, r12),
	[USDT_REG_R13] = offsetof(struct pt_regs, r13),
	[USDT_REG_R14] = offsetof(struct pt_regs, r14),
	[USDT_REG_R15] = offsetof(struct pt_regs, r15),
	[USDT_REG_IP] = offsetof(struct pt_regs, rip),
};

static struct bx_uarg
describe(const struct usdt_arg *a)
{
	struct bx_uarg d = { .disp = a->disp,
		.shift = a->shift,
		.left = (uint8_t)(64 - a->bits - a->skip),
		.right = (uint8_t)(64 - a->bits),
		.size = (uint8_t)(a->bits / 8) & 15 };

	if (a->base != USDT_REG_NONE) {
		d.flags |= HAS_BASE;
		d.base = reg_offsets[a->base];
	}
	if (a->index != USDT_REG_NONE) {
		d.flags |= HAS_INDEX;
		d.index = reg_offsets[a->index];
	}
	d.flags |= a->is_memory ? IS_MEMORY : 0;
	d.flags |= a->is_signed ? IS_SIGNED : 0;
	return d;
}

static void
enter(struct bx_exec *x, const struct dt_uargs *ua)
{
	struct bx_uarg *to = &x->usdt.v[(size_t)ua->number * NARGS];

	for (size_t i = 0; i < NARGS && i < ua->args.n; i++)
		to[i] = describe(&ua->args.v[i]);
}

typedef void site_f(struct bx_exec *x, const struct dt_uargs *ua);

static void
each_site(struct bx_exec *x, site_f *f)
{
	for (size_t i = 0; i < x->ngroups; i++) {
		const struct bx_tr *t = &x->groups[i].tr;

		if (t->facts->ctx != BX_CTX_USDT)
			continue;
		VEC_FOREACH(&t->facts->probes, pp) {
			VEC_FOREACH(&(*pp)->up->sites, s)
				f(x, s->args);
		}
	}
}

static void
count(struct bx_exec *x, const struct dt_uargs *ua)
{
	if (ua->number >= x->usdt.want)
		x->usdt.want = ua->number + 1;
}

static int
create(struct bx_exec *x)
{
	uint32_t n = x->usdt.want + (x->may_grow ? ROOM : 0);
	int fd = bx_map_array(NARGS * DESC_SIZE, n, BPF_F_MMAPABLE, "dt_usdt");

	if (fd < 0)
		return fd;
	bx_map_take(x, "rtm_usdt", fd);
	x->usdt.len = NARGS * DESC_SIZE * (size_t)n;
	x->usdt.v =
	    mmap(NULL, x->usdt.len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (x->usdt.v == MAP_FAILED) {
		x->usdt.v = NULL;
		return -errno;
	}
	x->usdt.n = n;
	return 0;
}

int
bx_usdt_renew(struct bx_exec *x, struct err *err)
{
	int rc = 0;

	each_site(x, count);
	if (x->usdt.want == 0)
		return 0;
	if (x->usdt.v == NULL)
		rc = create(x);
	else if (x->usdt.want > x->usdt.n)
		rc = -ENOSPC;
	if (rc == 0)
		each_site(x, enter);
	else
		err_set(err, rc,
		    "no room for the arguments of probes in programs: %s",
		    strerror(-rc));
	return rc;
}

void
bx_usdt_close(struct bx_exec *x)
{
	if (x->usdt.v != NULL)
		munmap(x->usdt.v, x->usdt.len);
	x->usdt.v = NULL;
}

/* ---- the program --------------------------------------------------------- */

/* Skip the following code unless the argument at `at` has the flag.  Returns
 * the label to bind behind it. */
static bx_label
unless_flag(struct bx_tr *t, int at, int flag)
{
	bx_label without = bx_new_label(&t->a);

	bx_ldx(&t->a, 1, R1, R8, at + OFF_FLAGS);
	bx_alui(&t->a, BPF_AND, R1, flag);
	bx_jcci(&t->a, BPF_JEQ, R1, 0, without);
	return without;
}

/* r1 <- the register whose offset in the context is at r8 + off. */
static void
load_reg(struct bx_tr *t, int off)
{
	struct bx_asm *a = &t->a;

	bx_mov(a, R3, R6);
	bx_ldx(a, 2, R4, R8, off);
	bx_alu(a, BPF_ADD, R3, R4);
	bx_read_kernel(a, FP_TMP, 8);
	bx_ldx(a, 8, R1, R10, FP_TMP);
}

/* r7 <- the memory at address r7; 0 if it cannot be read. */
static void
load_memory(struct bx_tr *t, int at)
{
	struct bx_asm *a = &t->a;

	if (t->facts->probes.v[0]->up->is_32) {
		bx_alui(a, BPF_LSH, R7, 32);
		bx_alui(a, BPF_RSH, R7, 32);
	}
	bx_sti(a, 8, R10, FP_TMP, 0);
	bx_mov(a, R1, R10);
	bx_alui(a, BPF_ADD, R1, FP_TMP);
	bx_ldx(a, 1, R2, R8, at + OFF_FLAGS);
	bx_alui(a, BPF_RSH, R2, 4);
	bx_mov(a, R3, R7);
	bx_helper(a, H_READ_USER);
	bx_ldx(a, 8, R7, R10, FP_TMP);
}

/* r7 <- the bits of r7 that form the value. */
static void
cut_out(struct bx_tr *t, int at)
{
	struct bx_asm *a = &t->a;
	bx_label is_unsigned, done = bx_new_label(a);

	bx_ldx(a, 1, R2, R8, at + (int)offsetof(struct bx_uarg, left));
	bx_alu(a, BPF_LSH, R7, R2);
	bx_ldx(a, 1, R2, R8, at + (int)offsetof(struct bx_uarg, right));
	is_unsigned = unless_flag(t, at, IS_SIGNED);
	bx_alu(a, BPF_ARSH, R7, R2);
	bx_ja(a, done);
	bx_bind(a, is_unsigned);
	bx_alu(a, BPF_RSH, R7, R2);
	bx_bind(a, done);
}

static void
save_arg(struct bx_tr *t, unsigned n)
{
	struct bx_asm *a = &t->a;
	int at = (int)(n * DESC_SIZE);
	bx_label without;

	bx_ldx(a, 8, R7, R8, at);
	without = unless_flag(t, at, HAS_BASE);
	load_reg(t, at + (int)offsetof(struct bx_uarg, base));
	bx_alu(a, BPF_ADD, R7, R1);
	bx_bind(a, without);
	without = unless_flag(t, at, HAS_INDEX);
	load_reg(t, at + (int)offsetof(struct bx_uarg, index));
	bx_ldx(a, 1, R2, R8, at + (int)offsetof(struct bx_uarg, shift));
	bx_alu(a, BPF_LSH, R1, R2);
	bx_alu(a, BPF_ADD, R7, R1);
	bx_bind(a, without);
	without = unless_flag(t, at, IS_MEMORY);
	load_memory(t, at);
	bx_bind(a, without);
	cut_out(t, at);
	bx_stx(a, 8, R10, t->frame.args[n], R7);
}

/* Refuse an argument that the script uses and D cannot read. */
static void
check_site(struct bx_tr *t, const struct dt_probe *p, const struct dt_uargs *ua)
{
	for (unsigned n = 0; n < NARGS && n < ua->args.n; n++) {
		struct strbuf name = { 0 };
		char *why;

		if (t->frame.args[n] == 0 || !ua->args.v[n].is_refused)
			continue;
		dt_probe_format(p, &name);
		why = usdt_arg_reason(ua->why, n);
		bx_refuse(t, t->facts->clauses.v[0]->clause->span,
		    "arg%u of %s is not available: %s", n, name.s, why);
		free(why);
		strbuf_fini(&name);
	}
}

void
bx_usdt_args(struct bx_tr *t, bx_label done)
{
	struct bx_asm *a = &t->a;

	VEC_FOREACH(&t->facts->probes, pp) {
		VEC_FOREACH(&(*pp)->up->sites, s)
			check_site(t, *pp, s->args);
	}
	bx_stx(a, 4, R10, FP_TMP, R7);
	bx_map(a, R1, "rtm_usdt");
	bx_mov(a, R2, R10);
	bx_alui(a, BPF_ADD, R2, FP_TMP);
	bx_helper(a, H_MAP_LOOKUP);
	bx_jcci(a, BPF_JEQ, R0, 0, done);
	bx_mov(a, R8, R0);
	for (unsigned n = 0; n < NARGS; n++) {
		if (t->frame.args[n] != 0)
			save_arg(t, n);
	}
}
