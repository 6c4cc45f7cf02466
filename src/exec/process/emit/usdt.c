/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arguments of USDT sites.
 *
 * Each site of a probe may have its arguments in other registers or stack
 * slots.  Sites with the same places share a body, compiled for these places.
 * If the clauses read no argument, all sites share a body.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "exec/process/emit/compile.h"
#include "inproc/inproc.h"
#include "provider/usites.h"

/* Words of a struct inproc_frame. */
#define FRAME_WORD(member) (offsetof(struct inproc_frame, member) / 8)

static const uint8_t frame_words[USDT_NREGS] = {
	[USDT_REG_AX] = X_RAX,
	[USDT_REG_BX] = X_RBX,
	[USDT_REG_CX] = X_RCX,
	[USDT_REG_DX] = X_RDX,
	[USDT_REG_SI] = X_RSI,
	[USDT_REG_DI] = X_RDI,
	[USDT_REG_BP] = X_RBP,
	[USDT_REG_SP] = X_RSP,
	[USDT_REG_R8] = X_R8,
	[USDT_REG_R9] = X_R9,
	[USDT_REG_R10] = X_R10,
	[USDT_REG_R11] = X_R11,
	[USDT_REG_R12] = X_R12,
	[USDT_REG_R13] = X_R13,
	[USDT_REG_R14] = X_R14,
	[USDT_REG_R15] = X_R15,
	[USDT_REG_IP] = FRAME_WORD(ip),
};

static uint32_t
reg_bit(uint8_t reg)
{
	if (reg == USDT_REG_NONE)
		return 0;
	return 1U << (reg == USDT_REG_IP ? INPROC_IP : frame_words[reg]);
}

static const struct usdt_arg *
find_arg(const struct pr_body *b, unsigned n)
{
	if (b->uargs == NULL || n >= b->uargs->args.n)
		return NULL;
	return &b->uargs->args.v[n];
}

uint32_t
pr_usdt_regs(const struct pr_body *b, uint32_t args)
{
	uint32_t regs = 0;

	for (unsigned n = 0; n < RT_NARGS; n++) {
		const struct usdt_arg *arg = find_arg(b, n);

		if (args & 1U << n && arg != NULL)
			regs |= reg_bit(arg->base) | reg_bit(arg->index);
	}
	return regs;
}

/* %rsi <- disp + base + (index << shift) */
static void
sum_up(struct x_asm *a, const struct usdt_arg *arg)
{
	x_movi(a, X_RSI, (uint64_t)arg->disp);
	x_load(a, 8, false, X_RAX, PR_FIRE_AT(frame));
	if (arg->base != USDT_REG_NONE)
		x_alum(
		    a, X_ADD, X_RSI, X_AT(X_RAX, 8 * frame_words[arg->base]));
	if (arg->index == USDT_REG_NONE)
		return;
	x_load(a, 8, false, X_RCX, X_AT(X_RAX, 8 * frame_words[arg->index]));
	if (arg->shift != 0)
		x_shifti(a, X_SHL, X_RCX, arg->shift);
	x_alu(a, X_ADD, X_RSI, X_RCX);
}

/* %rax <- the argument's bits of %rax */
static void
cut_out(struct x_asm *a, const struct usdt_arg *arg)
{
	unsigned left = 64U - arg->bits - arg->skip, right = 64U - arg->bits;

	if (left != 0)
		x_shifti(a, X_SHL, X_RAX, left);
	if (right != 0)
		x_shifti(a, arg->is_signed ? X_SAR : X_SHR, X_RAX, right);
}

void
pr_usdt_arg(struct pr_tr *t, unsigned n)
{
	const struct usdt_arg *arg = find_arg(t->body, n);

	if (arg == NULL) {
		x_movi(t->a, X_RAX, 0);
		return;
	}
	sum_up(t->a, arg);
	pr_changes(t, 1U << X_RSI | 1U << X_RCX);
	if (arg->is_memory) {
		x_movi(t->a, X_RDX, arg->bits / 8);
		pr_call_vm(t, "pr_user_word");
	} else {
		x_mov(t->a, X_RAX, X_RSI);
	}
	cut_out(t->a, arg);
}

/* Refuse arguments that the script uses and D cannot read. */
void
pr_usdt_check(struct pr_tr *t)
{
	const struct pr_body *b = t->body;
	uint32_t args = pr_args_read(&b->clauses.v[0], b->clauses.n);

	for (unsigned n = 0; n < RT_NARGS; n++) {
		const struct usdt_arg *arg = find_arg(b, n);
		struct strbuf name = { 0 };
		char *why;

		if (arg == NULL || !arg->is_refused || !(args & 1U << n))
			continue;
		dt_probe_format(b->probes.v[0].probe, &name);
		why = usdt_arg_reason(b->uargs->why, n);
		pr_refuse(t, b->clauses.v[0]->clause->span,
		    mem_printf(
			"arg%u of %s is not available: %s", n, name.s, why));
		free(why);
		strbuf_fini(&name);
	}
}
