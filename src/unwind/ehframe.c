/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Make rows of a section .eh_frame.
 *
 * The section is a sequence of entries: a CIE says what several functions have
 * in common, an FDE belongs to one CIE and covers one range of code.  Both hold
 * instructions of a small machine that, run from the range's start, describe
 * for each address where the caller's registers are.  We run it for every FDE,
 * in the order of addresses, and keep of each state what struct unw_row has
 * room for: the CFA, the return address and %rbp.
 *
 * Expressions could compute anything.  Compilers, linkers and libc write only a
 * handful, which we recognize by their bytes.  With any other expression the
 * state is UNW_NONE.
 */
#include "unwind/eh_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

/* DWARF's numbers of the registers (psABI, figure 3.36) */
enum { REG_BP = 6, REG_SP = 7 };

/* Instructions (DWARF 5, table 7.29; LSB, section 10.5.2) */
enum {
	CFA_ADVANCE = 0x40, /* with an operand in the lower six bits */
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xc0,
	CFA_NOP = 0x00,
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE1 = 0x02,
	CFA_ADVANCE2 = 0x03,
	CFA_ADVANCE4 = 0x04,
	CFA_OFFSET_EXT = 0x05,
	CFA_RESTORE_EXT = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER = 0x0a,
	CFA_RESTORE_STATE = 0x0b,
	CFA_DEF_CFA = 0x0c,
	CFA_DEF_REG = 0x0d,
	CFA_DEF_OFFSET = 0x0e,
	CFA_DEF_EXPR = 0x0f,
	CFA_EXPR = 0x10,
	CFA_OFFSET_EXT_SF = 0x11,
	CFA_DEF_CFA_SF = 0x12,
	CFA_DEF_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14,
	CFA_VAL_OFFSET_SF = 0x15,
	CFA_VAL_EXPR = 0x16,
	CFA_ARGS_SIZE = 0x2e,
	CFA_NEG_OFFSET_EXT = 0x2f,
};

#define PADDING 16 /* a smaller gap between functions is no place to be */
#define REMEMBER_MAX 32
#define SIGNAL_SP 160 /* where a signal's ucontext has %rsp */

enum ra_rule { RA_BELOW_CFA, RA_UNDEFINED, RA_OTHER };

/* The state of the caller's registers at an address. */
struct ehframe_state {
	uint32_t kind; /* enum unw_kind; REG: `reg` */
	uint64_t reg;
	int64_t off; /* bytes */
	enum ra_rule ra;
	uint32_t bp; /* UNW_BP_*, or words below the CFA */
};

void
unw_table_fini(struct unw_table *t)
{
	VEC_FREE(&t->rows);
}

uint32_t
unw_table_rule(const struct unw_table *t, uint64_t off)
{
	size_t lo = 0, hi = t->rows.n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (t->rows.v[mid].off <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo == 0 ? UNW_NONE : t->rows.v[lo - 1].rule;
}

/* ---- expressions -------------------------------------------------------- */

/* DW_OP_* (DWARF 5, table 7.9) */
enum {
	OP_DEREF = 0x06,
	OP_AND = 0x1a,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24,
	OP_GE = 0x2a,
	OP_LIT0 = 0x30,
	OP_BREG0 = 0x70
};

/*
 * A linker's for the procedure linkage table: an entry of 16 bytes pushes a
 * word at some byte of its own, which is the operand of one literal:
 *
 *	%rsp + 8 + ((%rip & 15) >= N) * 8
 */
static bool
expr_plt(struct ehframe_state *st, const uint8_t *p, size_t len)
{
	static const uint8_t plt[] = { OP_BREG0 + REG_SP, 8, OP_BREG0 + REG_RA,
		0, OP_LIT0 + 15, OP_AND, 0, OP_GE, OP_LIT0 + 3, OP_SHL,
		OP_PLUS };

	if (len != sizeof(plt) || memcmp(p, plt, 6) != 0 ||
	    memcmp(p + 7, plt + 7, 4) != 0 || p[6] < OP_LIT0 ||
	    p[6] > OP_LIT0 + 15)
		return false;
	st->kind = UNW_PLT;
	st->off = (p[6] - OP_LIT0) * 8; /* as an offset in words is kept */
	return true;
}

/* *(register + offset), perhaps + 8: a stack that was realigned. */
static bool
expr_load(struct ehframe_state *st, struct eh_cur c)
{
	bool is_sp, has8;

	if (c.p == c.end ||
	    (*c.p != OP_BREG0 + REG_SP && *c.p != OP_BREG0 + REG_BP))
		return false;
	is_sp = eh_u(&c, 1) == OP_BREG0 + REG_SP;
	st->off = eh_sleb(&c);
	if (eh_u(&c, 1) != OP_DEREF || c.bad)
		return false;
	has8 = c.end - c.p == 2 && c.p[0] == OP_PLUS_UCONST && c.p[1] == 8;
	if (c.p != c.end && !has8)
		return false;
	st->kind = is_sp ? (has8 ? UNW_SP_LOAD8 : UNW_SP_LOAD) :
			   (has8 ? UNW_BP_LOAD8 : UNW_BP_LOAD);
	return true;
}

static void
set_cfa_expr(struct ehframe_state *st, struct eh_cur c)
{
	if (!expr_plt(st, c.p, (size_t)(c.end - c.p)) && !expr_load(st, c))
		st->kind = UNW_NONE;
}

/* %rbp or the return address, by an expression. */
static void
set_reg_expr(struct ehframe_state *st, uint64_t reg, struct eh_cur c)
{
	static const uint8_t at_bp[] = { OP_BREG0 + REG_BP, 0 };
	static const uint8_t at_signal[] = { OP_BREG0 + REG_SP, 0xa8, 0x01 };
	size_t len = (size_t)(c.end - c.p);

	if (reg == REG_BP)
		st->bp = len == sizeof(at_bp) && memcmp(c.p, at_bp, len) == 0 ?
		    UNW_BP_HERE :
		    UNW_BP_LOST;
	if (reg != REG_RA)
		return;
	st->ra = RA_OTHER;
	if (st->kind == UNW_SP_LOAD && st->off == SIGNAL_SP &&
	    len == sizeof(at_signal) && memcmp(c.p, at_signal, len) == 0) {
		st->kind = UNW_SIGNAL;
		st->ra = RA_BELOW_CFA;
	}
}

/* ---- the machine -------------------------------------------------------- */

/* A register is saved at CFA + off. */
static void
set_saved(struct ehframe_state *st, uint64_t reg, int64_t off)
{
	if (reg == REG_RA)
		st->ra = off == -8 ? RA_BELOW_CFA : RA_OTHER;
	if (reg == REG_BP)
		st->bp =
		    off < 0 && off % 8 == 0 && off >= -8 * (int64_t)UNW_BP_MAX ?
		    (uint32_t)(-off / 8) :
		    UNW_BP_LOST;
}

/* A register's value is lost, or not at a place that rows describe. */
static void
set_lost(struct ehframe_state *st, uint64_t reg, enum ra_rule ra)
{
	if (reg == REG_RA)
		st->ra = ra;
	if (reg == REG_BP)
		st->bp = UNW_BP_LOST;
}

static void
set_restored(
    struct ehframe_state *st, uint64_t reg, const struct ehframe_state *initial)
{
	if (reg == REG_RA)
		st->ra = initial->ra;
	if (reg == REG_BP)
		st->bp = initial->bp;
}

static void
set_cfa_reg(struct ehframe_state *st, uint64_t reg)
{
	st->kind = reg == REG_SP ? UNW_SP :
	    reg == REG_BP	 ? UNW_BP :
	    reg < 16		 ? UNW_REG :
				   UNW_NONE;
	st->reg = reg;
}

/* The block of an expression. */
static struct eh_cur
get_block(struct eh_cur *c)
{
	uint64_t len = eh_uleb(c);
	struct eh_cur block = *c;

	eh_skip(c, len);
	block.end = c->p;
	return block;
}

static uint32_t
state_rule(const struct ehframe_state *st)
{
	int64_t words = st->off / 8;

	if (st->ra == RA_UNDEFINED)
		return UNW_RULE(UNW_END, 0, 0);
	if (st->kind == UNW_NONE || st->ra != RA_BELOW_CFA || st->off % 8 != 0)
		return UNW_RULE(UNW_NONE, 0, 0);
	if (st->kind == UNW_SIGNAL)
		return UNW_RULE(UNW_SIGNAL, 0, 0);
	if (st->kind == UNW_REG) {
		if (words < -2048 || words > 2047)
			return UNW_RULE(UNW_NONE, 0, 0);
		words = (int64_t)((uint64_t)words << 4 | st->reg);
	} else if (words < INT16_MIN || words > INT16_MAX) {
		return UNW_RULE(UNW_NONE, 0, 0);
	}
	return UNW_RULE(st->kind, words, st->bp);
}

/* One machine: of a CIE, whose instructions are no place's, or of an FDE. */
struct ehframe_run {
	struct eh_parse *ps;
	const struct eh_cie *cie;
	struct ehframe_state st;
	const struct ehframe_state *initial; /* what the CIE leaves */
	struct ehframe_state saved[REMEMBER_MAX];
	unsigned nsaved;
	uint64_t loc, end; /* file offsets */
	uint64_t bias;	   /* address minus file offset */
};

static void
push_row(struct eh_parse *ps, uint64_t off, uint32_t rule)
{
	struct unw_table *t = ps->out;

	if (off > UINT32_MAX)
		return;
	if (t->rows.n > 0 && t->rows.v[t->rows.n - 1].off >= off)
		t->rows.n--;
	if (t->rows.n > 0 && t->rows.v[t->rows.n - 1].rule == rule)
		return;
	VEC_PUSH(&t->rows, ((struct unw_row){ (uint32_t)off, rule }));
}

/* The state holds from r->loc up to `next`. */
static void
advance(struct ehframe_run *r, uint64_t next)
{
	struct eh_parse *ps = r->ps;

	if (next > r->end || next < r->loc)
		next = r->end;
	if (next > r->loc && next > ps->covered) {
		push_row(ps, r->loc > ps->covered ? r->loc : ps->covered,
		    state_rule(&r->st));
		ps->covered = next;
	}
	r->loc = next;
}

static void
remember(struct ehframe_run *r, struct eh_cur *c)
{
	if (r->nsaved == REMEMBER_MAX)
		c->bad = true;
	else
		r->saved[r->nsaved++] = r->st;
}

static void
recall(struct ehframe_run *r, struct eh_cur *c)
{
	if (r->nsaved == 0)
		c->bad = true;
	else
		r->st = r->saved[--r->nsaved];
}

/* Instructions about one register. */
static void
run_register(struct ehframe_run *r, uint8_t op, struct eh_cur *c)
{
	int64_t align = r->cie->data_align;
	uint64_t reg = eh_uleb(c);

	switch (op) {
	case CFA_OFFSET_EXT:
		set_saved(&r->st, reg, (int64_t)(eh_uleb(c) * (uint64_t)align));
		return;
	case CFA_OFFSET_EXT_SF:
		set_saved(&r->st, reg,
		    (int64_t)((uint64_t)eh_sleb(c) * (uint64_t)align));
		return;
	case CFA_NEG_OFFSET_EXT:
		set_saved(
		    &r->st, reg, (int64_t)(0 - eh_uleb(c) * (uint64_t)align));
		return;
	case CFA_RESTORE_EXT:
		set_restored(&r->st, reg, r->initial);
		return;
	case CFA_UNDEFINED:
		set_lost(&r->st, reg, RA_UNDEFINED);
		return;
	case CFA_SAME_VALUE:
		if (reg == REG_BP)
			r->st.bp = UNW_BP_SAME;
		if (reg == REG_RA)
			r->st.ra = RA_OTHER;
		return;
	case CFA_EXPR:
		set_reg_expr(&r->st, reg, get_block(c));
		return;
	case CFA_VAL_EXPR:
		get_block(c);
		set_lost(&r->st, reg, RA_OTHER);
		return;
	default: /* REGISTER, VAL_OFFSET: one operand more */
		eh_uleb(c);
		set_lost(&r->st, reg, RA_OTHER);
		return;
	}
}

/* Instructions about the CFA. */
static void
run_cfa(struct ehframe_run *r, uint8_t op, struct eh_cur *c)
{
	int64_t align = r->cie->data_align;
	struct ehframe_state *st = &r->st;

	switch (op) {
	case CFA_DEF_CFA:
		set_cfa_reg(st, eh_uleb(c));
		st->off = (int64_t)eh_uleb(c);
		return;
	case CFA_DEF_CFA_SF:
		set_cfa_reg(st, eh_uleb(c));
		st->off = (int64_t)((uint64_t)eh_sleb(c) * (uint64_t)align);
		return;
	case CFA_DEF_REG:
		set_cfa_reg(st, eh_uleb(c));
		return;
	case CFA_DEF_OFFSET:
		st->off = (int64_t)eh_uleb(c);
		return;
	case CFA_DEF_OFFSET_SF:
		st->off = (int64_t)((uint64_t)eh_sleb(c) * (uint64_t)align);
		return;
	default:
		set_cfa_expr(st, get_block(c));
		return;
	}
}

static void
run_other(struct ehframe_run *r, uint8_t op, struct eh_cur *c)
{
	uint64_t align = r->cie->code_align;

	switch (op) {
	case CFA_NOP:
		return;
	case CFA_SET_LOC:
		advance(r, eh_pointer(r->ps, c, r->cie->enc) - r->bias);
		return;
	case CFA_ADVANCE1:
		advance(r, r->loc + eh_u(c, 1) * align);
		return;
	case CFA_ADVANCE2:
		advance(r, r->loc + eh_u(c, 2) * align);
		return;
	case CFA_ADVANCE4:
		advance(r, r->loc + eh_u(c, 4) * align);
		return;
	case CFA_REMEMBER:
		remember(r, c);
		return;
	case CFA_RESTORE_STATE:
		recall(r, c);
		return;
	case CFA_ARGS_SIZE:
		eh_uleb(c);
		return;
	case CFA_DEF_CFA:
	case CFA_DEF_REG:
	case CFA_DEF_OFFSET:
	case CFA_DEF_EXPR:
	case CFA_DEF_CFA_SF:
	case CFA_DEF_OFFSET_SF:
		run_cfa(r, op, c);
		return;
	case CFA_OFFSET_EXT:
	case CFA_RESTORE_EXT:
	case CFA_UNDEFINED:
	case CFA_SAME_VALUE:
	case CFA_REGISTER:
	case CFA_EXPR:
	case CFA_OFFSET_EXT_SF:
	case CFA_VAL_OFFSET:
	case CFA_VAL_OFFSET_SF:
	case CFA_VAL_EXPR:
	case CFA_NEG_OFFSET_EXT:
		run_register(r, op, c);
		return;
	default:
		c->bad = true;
		return;
	}
}

/* From an instruction that is not understood on, nothing is known. */
static void
run_all(struct ehframe_run *r, struct eh_cur c)
{
	while (c.p < c.end && !c.bad) {
		uint8_t op = (uint8_t)eh_u(&c, 1), low = op & 0x3f;

		if ((op & 0xc0) == CFA_ADVANCE)
			advance(r, r->loc + low * r->cie->code_align);
		else if ((op & 0xc0) == CFA_OFFSET)
			set_saved(&r->st, low,
			    (int64_t)(eh_uleb(&c) *
				(uint64_t)r->cie->data_align));
		else if ((op & 0xc0) == CFA_RESTORE)
			set_restored(&r->st, low, r->initial);
		else
			run_other(r, op, &c);
	}
	if (c.bad)
		r->st = (struct ehframe_state){ .kind = UNW_NONE };
}

/* ---- the table ---------------------------------------------------------- */

static void
fde_rows(struct eh_parse *ps, const struct eh_fde *f, const struct unw_seg *seg)
{
	const struct eh_cie *cie = &ps->cies.v[f->cie];
	struct ehframe_state none = { .kind = UNW_NONE, .ra = RA_OTHER },
			     initial;
	struct ehframe_run r = { .ps = ps, .cie = cie, .initial = &none };
	uint64_t start = f->start - seg->vaddr + seg->off;

	run_all(&r, eh_cur_at(ps, cie->insns, cie->insns_end));
	initial = r.st;
	r.initial = &initial;
	r.nsaved = 0;
	r.bias = seg->vaddr - seg->off;
	r.loc = start;
	r.end = start + (f->end - f->start);
	if (start > ps->covered && start - ps->covered >= PADDING)
		push_row(ps, ps->covered, UNW_RULE(UNW_NONE, 0, 0));
	run_all(&r, eh_cur_at(ps, f->insns, f->insns_end));
	advance(&r, r.end);
}

static int
fde_cmp(const void *pa, const void *pb)
{
	const struct eh_fde *a = pa, *b = pb;

	return a->start != b->start ? (a->start < b->start ? -1 : 1) :
	    a->insns < b->insns	    ? -1 :
				      a->insns > b->insns;
}

/* The rows of one segment's functions, behind those of the segments before. */
static void
seg_rows(struct eh_parse *ps, const struct unw_seg *seg)
{
	ps->covered = seg->off;
	VEC_FOREACH(&ps->fdes, f) {
		if (f->start - seg->vaddr < seg->size &&
		    f->end - f->start <= seg->size - (f->start - seg->vaddr))
			fde_rows(ps, f, seg);
	}
	push_row(ps, ps->covered, UNW_RULE(UNW_NONE, 0, 0));
}

static int
seg_cmp(const void *pa, const void *pb)
{
	const struct unw_seg *a = pa, *b = pb;

	return a->off < b->off ? -1 : a->off > b->off;
}

/* Segments in the order of the file; one that overlaps another is left out. */
static void
all_rows(struct eh_parse *ps, const struct unw_seg *segs, size_t nsegs)
{
	struct unw_seg *order = mem_alloc((nsegs + 1) * sizeof(*order));
	uint64_t end = 0;

	memcpy(order, segs, nsegs * sizeof(*order));
	qsort(order, nsegs, sizeof(*order), seg_cmp);
	for (size_t i = 0; i < nsegs; i++) {
		if (order[i].off < end || order[i].size > UINT32_MAX ||
		    order[i].off > UINT32_MAX - order[i].size)
			continue;
		seg_rows(ps, &order[i]);
		end = order[i].off + order[i].size;
	}
	free(order);
}

int
unw_eh_frame(const uint8_t *data, size_t len, uint64_t vaddr,
    const struct unw_seg *segs, size_t nsegs, struct unw_table *out,
    struct err *err)
{
	struct eh_parse ps = {
		.data = data, .len = len, .vaddr = vaddr, .out = out, .err = err
	};
	int rc = 0;

	if (len > UINT32_MAX)
		return err_set(
		    err, -EINVAL, ".eh_frame: too large (%zu bytes)", len);
	rc = eh_entries(&ps);
	if (rc == 0 && ps.fdes.n > 0) {
		qsort(ps.fdes.v, ps.fdes.n, sizeof(*ps.fdes.v), fde_cmp);
		all_rows(&ps, segs, nsegs);
	}
	if (out->rows.n > UINT64_C(1) << UNW_ROWS_LOG)
		rc = err_set(err, -EINVAL, ".eh_frame: too large (%zu rows)",
		    out->rows.n);
	eh_parse_fini(&ps);
	return rc;
}
