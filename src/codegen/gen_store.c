/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assignments: to variables, to elements of associative arrays, to memory.
 *
 * The keys of an element are computed once, even for x[k] += y: the tuple
 * stack still holds them when the result is stored.  So the right-hand side,
 * which may need the tuple stack, comes first.
 */
#include "codegen/cg_impl.h"

enum place { PLACE_VAR, PLACE_ELEMENT, PLACE_MEMORY };

static enum place
place_of(const struct ast_expr *e)
{
	if (e->kind == AST_IDENT)
		return PLACE_VAR;
	return e->kind == AST_INDEX && e->sym != NULL ? PLACE_ELEMENT :
							PLACE_MEMORY;
}

static void
store_var(struct cg *cg, const struct cg_sym *sym, unsigned reg)
{
	static const enum dif_op ops[] = { DIF_OP_STGS, DIF_OP_STTS,
		DIF_OP_STLS };

	o_w(cg, ops[sym->scope], o_var(cg, sym, DIFV_F_MOD), reg);
}

static void
element_op(struct cg *cg, const struct cg_sym *sym, bool is_store, unsigned reg)
{
	bool is_self = sym->scope == DIFV_SCOPE_THREAD;

	if (is_store)
		o_w(cg, is_self ? DIF_OP_STTAA : DIF_OP_STGAA,
		    o_var(cg, sym, DIFV_F_MOD), reg);
	else
		o_w(cg, is_self ? DIF_OP_LDTAA : DIF_OP_LDGAA,
		    o_var(cg, sym, DIFV_F_REF), reg);
}

/* ---- memory -------------------------------------------------------------- */

/*
 * A struct or array variable has no storage until something is stored in it:
 * give it zeros, so that one of its members can be written.
 */
static void
ensure_storage(struct cg *cg, const struct ast_expr *root)
{
	const struct cg_sym *sym = root->sym;
	uint32_t have = o_label(cg);
	unsigned r = gen_var_load(cg, sym, o_reg(cg));

	o_cmp(cg, DIF_OP_TST, r, 0);
	o_branch(cg, DIF_OP_BNE, have);
	o_setx(cg, ctf_resolve(sym->type)->size, r);
	o_rrr(cg, DIF_OP_ALLOCS, r, 0, r);
	store_var(cg, sym, r);
	o_bind(cg, have);
	o_free(cg, r);
}

/*
 * A copy of an element of an array, or zeros if there is none, in a hidden
 * variable.  An element is replaced as a whole: a program in the kernel may not
 * write into one.  The keys stay on the tuple stack, so that the copy can be
 * stored: the stack is the same on both paths when they meet.
 */
static unsigned
copy_element(struct cg *cg, const struct ast_expr *root)
{
	const struct cg_sym *array = root->sym;
	struct cg_sym *hidden = cg_take_hidden(cg, root->type);
	uint32_t have = o_label(cg);
	unsigned r, depth;

	gen_tuple(cg, root->args.v, root->args.n, array->keys, true);
	r = o_reg(cg);
	element_op(cg, array, false, r);
	depth = cg->o.tuple_depth;
	cg->o.tuple_depth = 0;
	o_cmp(cg, DIF_OP_TST, r, 0);
	o_branch(cg, DIF_OP_BNE, have);
	o_setx(cg, ctf_resolve(root->type)->size, r);
	o_rrr(cg, DIF_OP_ALLOCS, r, 0, r);
	o_bind(cg, have);
	cg->o.tuple_depth = depth;
	store_var(cg, hidden, r);
	hidden->is_taken = false;
	return gen_var_load(cg, hidden, r);
}

/* The memory that is written, and the copy that then replaces an element. */
struct gen_store_target {
	unsigned addr;
	const struct cg_sym *array; /* NULL: none */
	unsigned copy;
};

static struct gen_store_target
target_open(struct cg *cg, struct ast_expr *e)
{
	struct ast_expr *root = cg_root_var(e);
	struct gen_store_target to = { 0 };

	if (root != NULL && root->kind == AST_INDEX) {
		to.array = root->sym;
		to.addr = gen_part_offset(cg, e, root);
		to.copy = copy_element(cg, root);
		o_rrr(cg, DIF_OP_ADD, to.addr, to.copy, to.addr);
		return to;
	}
	if (root != NULL)
		ensure_storage(cg, root);
	/* an address that folded to 0 is still an address to store to */
	to.addr = gen_writable(cg, gen_addr(cg, e, NULL));
	return to;
}

static void
target_close(struct cg *cg, const struct gen_store_target *to)
{
	o_free(cg, to->addr);
	if (to->array == NULL)
		return;
	element_op(cg, to->array, true, to->copy);
	o_free(cg, to->copy);
}

static enum dif_op
store_op(uint64_t size)
{
	static const enum dif_op ops[] = { DIF_OP_STB, DIF_OP_STH, DIF_OP_STW,
		DIF_OP_STX };

	return ops[__builtin_ctzll(size)];
}

/* (old & ~mask) | ((value << pos) & mask), in the unit that holds the field. */
static void
store_bits(struct cg *cg, const struct ctf_member *m, uint64_t bit_off,
    unsigned addr, unsigned value)
{
	struct cg_unit u = cg_unit(m, bit_off);
	uint64_t mask = (m->bits == 64 ? ~0ULL : (1ULL << m->bits) - 1)
	    << u.pos;
	unsigned old = o_reg(cg), t = o_reg(cg), v = o_reg(cg);

	o_setx(cg, u.pos, t);
	o_rrr(cg, DIF_OP_SLL, value, t, v);
	o_setx(cg, mask, t);
	o_rrr(cg, DIF_OP_AND, v, t, v);
	gen_load_unit(cg, u, false, addr, old);
	o_rrr(cg, DIF_OP_NOT, t, 0, t);
	o_rrr(cg, DIF_OP_AND, old, t, old);
	o_rrr(cg, DIF_OP_OR, old, v, old);
	o_rrr(cg, store_op(u.size), old, 0, addr);
	o_free(cg, old);
	o_free(cg, t);
	o_free(cg, v);
}

static void
store_memory(
    struct cg *cg, const struct ast_expr *e, unsigned addr, unsigned value)
{
	uint64_t size =
	    cg_is_string(e->type) ? cg->s->strsize : ctf_resolve(e->type)->size;
	uint64_t bit_off;
	const struct ctf_member *m =
	    e->kind == AST_MEMBER ? cg_member(e, &bit_off) : NULL;
	unsigned n;

	if (cg_is_byref(e->type)) {
		n = o_reg(cg);
		o_setx(cg, size, n);
		o_rrr(cg, DIF_OP_COPYS, value, n, addr);
		o_free(cg, n);
	} else if (m != NULL && m->bits != 0) {
		store_bits(cg, m, bit_off, addr, value);
	} else {
		o_rrr(cg, store_op(size), value, 0, addr);
	}
}

/*
 * Store a string into `size` bytes of memory that end in a NUL: a member of
 * type string, or a char array of a translation.  A string may be shorter than
 * its type allows, and the memory behind it may be unreadable.
 */
static void
store_string(struct cg *cg, unsigned addr, unsigned value, uint64_t size)
{
	uint32_t end = o_label(cg), fits = o_label(cg);
	unsigned n = o_reg(cg), t = o_reg(cg);

	o_cmp(cg, DIF_OP_TST, value, 0);
	o_branch(cg, DIF_OP_BE, end);
	o_push(cg, cg->g->t_string, value);
	o_w(cg, DIF_OP_CALL, DIF_SUBR_STRLEN, n);
	o_setx(cg, 1, t);
	o_rrr(cg, DIF_OP_ADD, n, t, n);
	o_setx(cg, size, t);
	o_cmp(cg, DIF_OP_CMP, n, t);
	o_branch(cg, DIF_OP_BLEU, fits);
	o_setx(cg, size - 1, n);
	o_bind(cg, fits);
	o_rrr(cg, DIF_OP_COPYS, value, n, addr);
	o_bind(cg, end);
	o_free(cg, n);
	o_free(cg, t);
}

/* The room for a string, if it is stored there byte by byte; else 0. */
static uint64_t
string_room(
    struct cg *cg, const struct ast_expr *place, const struct ast_expr *value)
{
	if (cg_is_string(place->type))
		return cg->s->strsize;
	return ctf_resolve(place->type)->kind == CTF_K_ARRAY &&
		ctf_resolve(value->type) != ctf_resolve(place->type) ?
	    ctf_resolve(place->type)->size :
	    0;
}

/* The string in new scratch memory, followed by zeros. */
static unsigned
string_image(struct cg *cg, unsigned value, uint64_t room)
{
	unsigned image = o_reg(cg);

	o_setx(cg, room, image);
	o_rrr(cg, DIF_OP_ALLOCS, image, 0, image);
	store_string(cg, image, value, room);
	return image;
}

/*
 * A string is stored into a part of an element byte by byte: measuring it first
 * would need the tuple stack, which then holds the keys.
 */
static void
store_value(struct cg *cg, struct ast_expr *e, unsigned value)
{
	const struct ast_expr *root = cg_root_var(e->a);
	bool is_part = root != NULL && root->kind == AST_INDEX;
	uint64_t room = string_room(cg, e->a, e->b);
	unsigned image =
	    room != 0 && is_part ? string_image(cg, value, room) : 0;
	struct gen_store_target to = target_open(cg, e->a);

	if (room != 0 && !is_part)
		store_string(cg, to.addr, value, room);
	else
		store_memory(cg, e->a, to.addr, image != 0 ? image : value);
	target_close(cg, &to);
	if (image != 0)
		o_free(cg, image);
}

/* ---- = ------------------------------------------------------------------- */

/* The value in the form that the place stores. */
static unsigned
gen_stored(struct cg *cg, struct ast_expr *e)
{
	if (string_room(cg, e->a, e->b) != 0)
		return gen_as(cg, e->b, cg->g->t_string);
	return cg_keeps_word(e->a) ? gen_expr(cg, e->b) :
				     gen_as(cg, e->b, e->a->type);
}

static unsigned
gen_simple_assign(struct cg *cg, struct ast_expr *e)
{
	struct ast_expr *to = e->a;
	const struct cg_sym *sym = to->sym;
	unsigned r = gen_stored(cg, e);

	switch (place_of(to)) {
	case PLACE_VAR:
		store_var(cg, sym, r);
		break;
	case PLACE_ELEMENT:
		gen_tuple(cg, to->args.v, to->args.n, sym->keys, true);
		element_op(cg, sym, true, r);
		break;
	case PLACE_MEMORY:
		store_value(cg, e, r);
		break;
	}
	return r;
}

/* ---- op=, ++ and -- ------------------------------------------------------ */

/* The change that a read-modify-write makes to the old value. */
struct change {
	enum ast_op op;
	bool is_signed;
	struct ctf_type *type; /* of the place; NULL: it keeps 64 bits */
	unsigned operand;      /* register, already scaled */
	bool wants_old;
};

/*
 * Compute the new value from the old one; *result is the value of the
 * expression.
 */
static unsigned
apply(struct cg *cg, const struct change *ch, unsigned old, unsigned *result)
{
	unsigned new;

	if (ch->wants_old) {
		*result = o_reg(cg);
		o_rrr(cg, DIF_OP_MOV, old, 0, *result);
	}
	new = gen_op(cg, ch->op, ch->is_signed, old, ch->operand);
	if (ch->type != NULL)
		new = gen_narrow(cg, new, ch->type);
	if (!ch->wants_old)
		*result = new;
	return new;
}

static unsigned
change_memory(struct cg *cg, struct ast_expr *to, const struct change *ch)
{
	struct gen_store_target at = target_open(cg, to);
	unsigned old = o_reg(cg), new, result;
	const struct ctf_member *m;
	uint64_t bit_off;

	m = to->kind == AST_MEMBER ? cg_member(to, &bit_off) : NULL;
	if (m != NULL && m->bits != 0) {
		gen_load_unit(cg, cg_unit(m, bit_off), false, at.addr, old);
		gen_extract(cg, old, cg_unit(m, bit_off).pos, m->bits,
		    ctf_is_signed(m->type));
	} else {
		gen_load(cg, to->type, false, at.addr, old);
	}
	new = apply(cg, ch, old, &result);
	store_memory(cg, to, at.addr, new);
	target_close(cg, &at);
	if (new != result)
		o_free(cg, new);
	return result;
}

static unsigned
change_place(struct cg *cg, struct ast_expr *to, const struct change *ch)
{
	const struct cg_sym *sym = to->sym;
	unsigned old, new, result;

	switch (place_of(to)) {
	case PLACE_MEMORY:
		return change_memory(cg, to, ch);
	case PLACE_VAR:
		old = gen_var_load(cg, sym, o_reg(cg));
		new = apply(cg, ch, old, &result);
		store_var(cg, sym, new);
		break;
	case PLACE_ELEMENT:
		gen_tuple(cg, to->args.v, to->args.n, sym->keys, true);
		old = o_reg(cg);
		element_op(cg, sym, false, old);
		new = apply(cg, ch, old, &result);
		element_op(cg, sym, true, new);
		break;
	}
	if (new != result)
		o_free(cg, new);
	return result;
}

static struct ctf_type *
changed_type(const struct ast_expr *to)
{
	return cg_keeps_word(to) ? NULL : to->type;
}

static uint64_t
step_of(struct ctf_type *t)
{
	t = ctf_resolve(t);
	if (t->kind != CTF_K_POINTER || ctf_resolve(t->ref)->size == 0)
		return 1;
	return ctf_resolve(t->ref)->size;
}

/* ---- op= with a right side that assigns ---------------------------------- */

/* Does the expression assign to something? */
static bool
has_effects(const struct ast_expr *e)
{
	if (e == NULL || e->is_const)
		return false;
	if (e->kind == AST_ASSIGN ||
	    (e->kind == AST_UNARY && e->op >= AST_OP_PREINC &&
		e->op <= AST_OP_POSTDEC))
		return true;
	for (size_t i = 0; i < e->args.n; i++) {
		if (has_effects(e->args.v[i]))
			return true;
	}
	return has_effects(e->a) || has_effects(e->b) || has_effects(e->c) ||
	    has_effects(e->inst);
}

/*
 * The type for a variable that takes the value of the expression as it is in a
 * register: an int there may be beyond the range of int (cg_impl.h).
 */
static struct ctf_type *
register_type(const struct cg *cg, const struct ast_expr *e)
{
	if (!ctf_is_integer(e->type))
		return e->type;
	return ctf_is_signed(e->type) ? cg->g->t_long : cg->g->t_ulong;
}

/* A hidden variable that holds the current value of the expression. */
static struct ast_expr *
frozen(struct cg *cg, struct ast_expr *e)
{
	struct cg_sym *hidden;
	unsigned r;

	if (e->is_const)
		return e;
	hidden = cg_take_hidden(cg, register_type(cg, e));
	r = ctf_is_integer(e->type) ? gen_expr(cg, e) : gen_as(cg, e, e->type);
	store_var(cg, hidden, r);
	o_free(cg, r);
	return cg_var_node(cg, hidden, e->span);
}

/*
 * Evaluate the keys, indices and pointers of the left side once, so that its
 * place is fixed.
 */
static void
freeze_place(struct cg *cg, struct ast_expr *e)
{
	for (size_t i = 0; i < e->args.n; i++)
		e->args.v[i] = frozen(cg, e->args.v[i]);
	if (e->kind == AST_IDENT || (e->kind == AST_INDEX && e->sym != NULL))
		return;
	if (ctf_is_pointer(e->a->type))
		e->a = frozen(cg, e->a);
	else
		freeze_place(cg, e->a);
}

static void
store_changed(struct cg *cg, struct ast_expr *to, unsigned value)
{
	struct gen_store_target at;

	switch (place_of(to)) {
	case PLACE_VAR:
		store_var(cg, to->sym, value);
		break;
	case PLACE_ELEMENT:
		gen_tuple(cg, to->args.v, to->args.n,
		    ((struct cg_sym *)to->sym)->keys, true);
		element_op(cg, to->sym, true, value);
		break;
	case PLACE_MEMORY:
		at = target_open(cg, to);
		store_memory(cg, to, at.addr, value);
		target_close(cg, &at);
		break;
	}
}

static unsigned
gen_operand(struct cg *cg, struct ast_expr *e)
{
	unsigned r = gen_expr(cg, e->b);

	return ctf_is_pointer(e->a->type) ?
	    gen_scale(cg, r, step_of(e->a->type)) :
	    r;
}

/* The left side is read first: n += (n = 10) adds 10 to what n was. */
static unsigned
gen_ordered(struct cg *cg, struct ast_expr *e, struct change *ch)
{
	unsigned old, new, result;

	freeze_place(cg, e->a);
	old = gen_expr(cg, e->a);
	ch->operand = gen_operand(cg, e);
	new = apply(cg, ch, old, &result);
	store_changed(cg, e->a, new);
	return result;
}

unsigned
gen_assign(struct cg *cg, struct ast_expr *e)
{
	struct change ch = { .op = e->op, .type = changed_type(e->a) };

	if (e->op == AST_OP_NONE)
		return gen_simple_assign(cg, e);
	ch.is_signed = ctf_is_signed(e->sym);
	if (has_effects(e->b))
		return gen_ordered(cg, e, &ch);
	ch.operand = gen_operand(cg, e);
	return change_place(cg, e->a, &ch);
}

unsigned
gen_incdec(struct cg *cg, struct ast_expr *e)
{
	struct change ch = { .type = changed_type(e->a) };

	ch.op = e->op == AST_OP_PREINC || e->op == AST_OP_POSTINC ? AST_OP_ADD :
								    AST_OP_SUB;
	ch.wants_old = e->op == AST_OP_POSTINC || e->op == AST_OP_POSTDEC;
	ch.operand = o_reg(cg);
	o_setx(cg, step_of(e->a->type), ch.operand);
	return change_place(cg, e->a, &ch);
}
