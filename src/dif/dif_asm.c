/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The assembler: DIF from text, line by line.
 *
 * A line of a listing has the instruction word and its text.  The word is used,
 * since it also has fields that the text does not show; but the text must
 * agree, so that an edited listing is not misread.
 *
 * Text is untrusted input: tables grow only by entries that the text contains.
 */
#include "dif/dif_impl.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

#define LABEL_MAX 0xffffffU /* 24 bits */
#define INDEX_MAX 0xffffU
#define REG_MAX 0xffU

struct as {
	const char *p, *end; /* the rest of the line */
	uint32_t line;
	struct err *err;
	bool is_refused;
	bool in_vars; /* behind the NAME line */
	bool has_type;
	VEC(uint32_t) text;
	VEC(uint64_t) ints;
	struct strbuf strs;
	VEC(struct dif_var) vars;
	VEC(struct dif_krel) krels;
	VEC(struct dif_xlref) xlrefs;
	struct dif_type rtype;
	struct strtab labels;
	VEC(uint32_t) label_at; /* by label id - 1; UINT32_MAX: undefined */
	VEC(struct as_fixup { uint32_t pc, label, line; }) fixups;
};

/* Always returns false. */
static bool __attribute__((format(printf, 2, 3)))
as_refuse(struct as *as, const char *fmt, ...)
{
	struct strbuf sb = { 0 };
	va_list ap;

	if (as->is_refused) /* the first error is the one to mend */
		return false;
	as->is_refused = true;
	strbuf_printf(&sb, "line %u: ", as->line);
	va_start(ap, fmt);
	strbuf_vprintf(&sb, fmt, ap);
	va_end(ap);
	err_take(as->err, -EINVAL, strbuf_steal(&sb));
	return false;
}

/* ---- words of a line ---------------------------------------------------- */

static void
as_blanks(struct as *as)
{
	while (as->p < as->end && isspace((unsigned char)*as->p))
		as->p++;
}

/* Is the rest of the line empty, or a comment? */
static bool
as_at_end(struct as *as)
{
	as_blanks(as);
	return as->p == as->end || *as->p == '!';
}

/* Take `word` if it comes next. */
static bool
as_accept(struct as *as, const char *word)
{
	size_t n = strlen(word);

	as_blanks(as);
	if ((size_t)(as->end - as->p) < n || memcmp(as->p, word, n) != 0)
		return false;
	if (isalnum((unsigned char)word[n - 1]) && as->p + n < as->end &&
	    isalnum((unsigned char)as->p[n]))
		return false;
	as->p += n;
	return true;
}

static bool
as_expect(struct as *as, const char *word)
{
	return as_accept(as, word) || as_refuse(as, "'%s' was expected", word);
}

static bool
as_end(struct as *as)
{
	return as_at_end(as) ||
	    as_refuse(as, "'%.*s' was not expected",
		(int)(as->end - as->p > 40 ? 40 : as->end - as->p), as->p);
}

/* The number of letters, digits and underscores that come next. */
static size_t
as_word_len(struct as *as)
{
	size_t n = 0;

	as_blanks(as);
	while (as->p + n < as->end &&
	    (isalnum((unsigned char)as->p[n]) || as->p[n] == '_'))
		n++;
	return n;
}

/* The next word, or "" if there is none; the caller frees it. */
static char *
as_word(struct as *as)
{
	size_t n = as_word_len(as);
	char *s = mem_strndup(as->p, n);

	as->p += n;
	return s;
}

static bool
as_number(struct as *as, unsigned base, uint64_t max, uint64_t *value)
{
	char *word, *end;
	bool ok;

	as_blanks(as);
	if (as->p == as->end || !isxdigit((unsigned char)*as->p))
		return as_refuse(as, "a number was expected");
	word = as_word(as);
	errno = 0;
	*value = strtoull(word, &end, (int)base);
	ok = errno == 0 && *end == '\0' && *value <= max;
	if (!ok)
		as_refuse(as, "'%s' is not a number up to %llu", word,
		    (unsigned long long)max);
	free(word);
	return ok;
}

static bool
as_number32(struct as *as, unsigned base, uint32_t max, uint32_t *value)
{
	uint64_t v = 0;

	if (!as_number(as, base, max, &v))
		return false;
	*value = (uint32_t)v;
	return true;
}

/* One character of a quoted string, after a backslash. */
static bool
as_escape(struct as *as, char *c)
{
	static const char from[] = "nt\"\\", to[] = "\n\t\"\\";
	const char *at;
	unsigned value = 0;

	if (as->p == as->end)
		return as_refuse(as, "the string does not end");
	at = memchr(from, *as->p, sizeof(from) - 1);
	if (at != NULL) {
		as->p++;
		*c = to[at - from];
		return true;
	}
	for (int i = 0; i < 3; i++, as->p++) {
		if (as->p == as->end || *as->p < '0' || *as->p > '7')
			return as_refuse(as,
			    "after '\\' come n, t, \", \\ or "
			    "three octal digits");
		value = value * 8 + (unsigned)(*as->p - '0');
	}
	if (value == 0 || value > 0xff)
		return as_refuse(
		    as, "\\%03o is no character of a string", value);
	*c = (char)value;
	return true;
}

static bool
as_quoted(struct as *as, struct strbuf *out)
{
	if (!as_expect(as, "\""))
		return false;
	while (as->p < as->end && *as->p != '"') {
		char c = *as->p++;

		if (c == '\\' && !as_escape(as, &c))
			return false;
		strbuf_addc(out, c);
	}
	return as_expect(as, "\"");
}

/* ---- tables ------------------------------------------------------------- */

/* Intern a string; every table begins with the empty string. */
static uint32_t
as_intern(struct as *as, const char *s)
{
	uint32_t off;

	if (as->strs.len == 0)
		strbuf_addc(&as->strs, '\0');
	if (*s == '\0')
		return 0;
	off = (uint32_t)as->strs.len;
	strbuf_add(&as->strs, s, strlen(s) + 1);
	return off;
}

/* Parse DT_NAME[index], behind the name. */
static bool
as_index(struct as *as, uint32_t max, uint32_t *index)
{
	return as_expect(as, "[") && as_number32(as, 10, max, index) &&
	    as_expect(as, "]");
}

static bool
as_int_line(struct as *as)
{
	uint32_t index = 0;
	uint64_t value = 0;

	if (!as_index(as, UINT32_MAX, &index) || !as_expect(as, "=") ||
	    !as_number(as, 0, UINT64_MAX, &value))
		return false;
	if (index != as->ints.n)
		return as_refuse(as, "DT_INTEGER[%zu] comes next", as->ints.n);
	VEC_PUSH(&as->ints, value);
	return as_end(as);
}

static bool
as_str_line(struct as *as)
{
	struct strbuf text = { 0 };
	uint32_t off = 0;
	bool ok = as_index(as, UINT32_MAX, &off) && as_expect(as, "=") &&
	    as_quoted(as, &text);

	if (ok && off != as->strs.len)
		ok = as_refuse(as, "DT_STRING[%zu] comes next", as->strs.len);
	if (ok) {
		strbuf_add(&as->strs, text.s != NULL ? text.s : "", text.len);
		if (!as_accept(as, "open"))
			strbuf_addc(&as->strs, '\0');
		ok = as_end(as);
	}
	strbuf_fini(&text);
	return ok;
}

/* An integer that is a symbol's address: see struct dif_krel. */
static bool
as_krel_fields(struct as *as, struct dif_krel *k)
{
	struct strbuf module = { 0 }, symbol = { 0 };
	bool ok;

	strbuf_adds(&module, "");
	strbuf_adds(&symbol, "");
	ok = as_expect(as, "DT_INTEGER") &&
	    as_index(as, UINT32_MAX, &k->int_index) && as_quoted(as, &module) &&
	    as_quoted(as, &symbol) && as_number(as, 0, UINT64_MAX, &k->addend);
	k->is_percpu = ok && as_accept(as, "percpu");
	k->module = strbuf_steal(&module);
	k->symbol = strbuf_steal(&symbol);
	return ok && as_end(as);
}

static bool
as_krel_line(struct as *as)
{
	struct dif_krel k = { 0 };
	uint32_t index = 0;

	if (!as_index(as, UINT32_MAX, &index) || !as_expect(as, "="))
		return false;
	if (index != as->krels.n)
		return as_refuse(as, "DT_KREL[%zu] comes next", as->krels.n);
	if (as_krel_fields(as, &k)) {
		VEC_PUSH(&as->krels, k);
		return true;
	}
	free(k.module);
	free(k.symbol);
	return false;
}

/* ---- types and variables ------------------------------------------------ */

static bool
as_ckind(struct as *as, uint8_t *ckind)
{
	uint32_t value = 0;

	if (as_accept(as, "kind")) {
		if (!as_number32(as, 10, UINT8_MAX, &value))
			return false;
		*ckind = (uint8_t)value;
		return as_expect(as, ")");
	}
	for (uint8_t k = 0; k < DIF_NCKINDS; k++) {
		if (!as_accept(as, dif_ckind_names[k]))
			continue;
		*ckind = k;
		return as_expect(as, ")");
	}
	return as_refuse(as, "a kind of type was expected");
}

static bool
as_type_size(struct as *as, struct dif_type *t)
{
	if (as_accept(as, "strsize"))
		return as_expect(as, ")");
	return as_number32(as, 10, UINT32_MAX, &t->size) && as_expect(as, ")");
}

/* The flags between a type's kind and its size. */
static bool
as_type_flags(struct as *as, struct dif_type *t)
{
	uint32_t value = 0;

	if (as_accept(as, "by ref"))
		t->flags |= DIF_TF_BYREF;
	if (as_accept(as, "by user ref"))
		t->flags |= DIF_TF_BYUREF;
	if (as_accept(as, "flags")) {
		if (!as_number32(as, 0, UINT8_MAX, &value))
			return false;
		t->flags |= (uint8_t)value;
	}
	value = 0;
	if (as_accept(as, "pad") && !as_number32(as, 10, UINT8_MAX, &value))
		return false;
	t->pad = (uint8_t)value;
	return true;
}

static bool
as_type(struct as *as, struct dif_type *t)
{
	uint32_t kind = DIF_TYPE_CTF;

	*t = (struct dif_type){ 0 };
	if (as_accept(as, "string"))
		kind = DIF_TYPE_STRING;
	else if (as_accept(as, "type")) {
		if (!as_number32(as, 10, UINT8_MAX, &kind))
			return false;
	} else if (!as_expect(as, "D type")) {
		return false;
	}
	t->kind = (uint8_t)kind;
	/* a string without a kind has "(size" here */
	if (!as_accept(as, "(size")) {
		if (as_accept(as, "(") && !as_ckind(as, &t->ckind))
			return false;
		if (!as_type_flags(as, t) || !as_expect(as, "(size"))
			return false;
	}
	return as_type_size(as, t);
}

/* A reference to a translator: see struct dif_xlref. */
static bool
as_xlref_fields(struct as *as, struct dif_xlref *x)
{
	struct strbuf in = { 0 }, out = { 0 }, member = { 0 };
	bool ok;

	strbuf_adds(&in, "");
	strbuf_adds(&out, "");
	strbuf_adds(&member, "");
	ok = as_quoted(as, &in) && as_quoted(as, &out) &&
	    as_quoted(as, &member) &&
	    as_number32(as, 0, UINT32_MAX, &x->argn) && as_type(as, &x->type);
	x->in = strbuf_steal(&in);
	x->out = strbuf_steal(&out);
	x->member = strbuf_steal(&member);
	return ok && as_end(as);
}

static bool
as_xlref_line(struct as *as)
{
	struct dif_xlref x = { 0 };
	uint32_t index = 0;

	if (!as_index(as, UINT32_MAX, &index) || !as_expect(as, "="))
		return false;
	if (index != as->xlrefs.n)
		return as_refuse(as, "DT_XLREF[%zu] comes next", as->xlrefs.n);
	VEC_PUSH(&as->xlrefs, x);
	return as_xlref_fields(as, &as->xlrefs.v[index]);
}

/* One of `names`, or `letter` and a number. */
static bool
as_choice(struct as *as, const char *const *names, uint32_t n, char letter,
    uint8_t *value)
{
	uint32_t number = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (as_accept(as, names[i])) {
			*value = (uint8_t)i;
			return true;
		}
	}
	as_blanks(as);
	if (as->p == as->end || *as->p != letter)
		return as_refuse(as, "%s, ... was expected", names[0]);
	as->p++;
	if (!as_number32(as, 10, UINT8_MAX, &number))
		return false;
	*value = (uint8_t)number;
	return true;
}

static bool
as_var_flags(struct as *as, struct dif_var *v)
{
	uint32_t value = 0;

	as_blanks(as);
	if (as->p < as->end && *as->p == '0') {
		if (!as_number32(as, 0, UINT16_MAX, &value))
			return false;
	} else if (as_accept(as, "rw")) {
		value = DIFV_F_REF | DIFV_F_MOD;
	} else if (as_accept(as, "r")) {
		value = DIFV_F_REF;
	} else if (as_accept(as, "w")) {
		value = DIFV_F_MOD;
	}
	v->flags = (uint16_t)value;
	return true;
}

/* The name's offset in the string table: given behind '!', or interned. */
static bool
as_var_name_at(struct as *as, struct dif_var *v, const char *name)
{
	if (as_accept(as, "!") && as_accept(as, "DT_STRING"))
		return as_index(as, UINT32_MAX, &v->name) && as_end(as);
	v->name = as_intern(as, name);
	return true;
}

static bool
as_var_name(struct as *as, struct strbuf *name)
{
	as_blanks(as);
	strbuf_adds(name, "");
	if (as->p < as->end && *as->p == '"') {
		if (!as_quoted(as, name))
			return false;
		(void)as_accept(as, "...");
		return true;
	}
	while (as->p < as->end && !isspace((unsigned char)*as->p))
		strbuf_addc(name, *as->p++);
	return true;
}

static bool
as_var_line(struct as *as)
{
	static const char *const kinds[] = { "arr", "scl" };
	static const char *const scopes[] = { "glb", "tls", "loc" };
	struct strbuf name = { 0 };
	struct dif_var v = { 0 };
	bool ok = as_var_name(as, &name) &&
	    as_number32(as, 16, UINT32_MAX, &v.id) &&
	    as_choice(as, kinds, 2, 'k', &v.kind) &&
	    as_choice(as, scopes, 3, 's', &v.scope) && as_var_flags(as, &v) &&
	    as_type(as, &v.type) && as_var_name_at(as, &v, name.s);

	if (ok)
		VEC_PUSH(&as->vars, v);
	strbuf_fini(&name);
	return ok;
}

/* ---- operands ----------------------------------------------------------- */

static bool
as_reg(struct as *as, uint32_t *r)
{
	as_blanks(as);
	if (as->end - as->p < 2 || as->p[0] != '%' || as->p[1] != 'r')
		return as_refuse(as, "a register was expected");
	as->p += 2;
	return as_number32(as, 10, REG_MAX, r);
}

static bool
as_comma(struct as *as)
{
	return as_expect(as, ",");
}

/* A label: its number, or its name, which may be defined later. */
static bool
as_label(struct as *as, uint32_t *label)
{
	struct as_fixup fix = { .pc = (uint32_t)as->text.n, .line = as->line };
	char *name;

	*label = 0;
	as_blanks(as);
	if (as->p < as->end && isdigit((unsigned char)*as->p))
		return as_number32(as, 10, LABEL_MAX, label);
	name = as_word(as);
	if (*name == '\0') {
		free(name);
		return as_refuse(as, "a label was expected");
	}
	fix.label = strtab_intern(&as->labels, name);
	free(name);
	VEC_PUSH(&as->fixups, fix);
	return true;
}

/* A variable or subroutine: its number, or its name in the table. */
static bool
as_named(struct as *as, bool is_subr, uint32_t *id)
{
	const struct dif_subrinfo *si;
	char *name;
	bool ok = true;

	as_blanks(as);
	if (as->p < as->end && isdigit((unsigned char)*as->p))
		return as_number32(as, 0, INDEX_MAX, id);
	name = as_word(as);
	if (is_subr) {
		si = dif_subr_find_name(name);
		ok = si != NULL;
		*id = ok ? si->id : 0;
	} else {
		ok = dif_var_find_name(name, id);
	}
	if (!ok)
		as_refuse(as, "there is no %s '%s'",
		    is_subr ? "subroutine" : "built-in variable", name);
	free(name);
	return ok;
}

static bool
as_int_operand(struct as *as, uint32_t *index)
{
	uint64_t value = 0;

	if (as_accept(as, "DT_INTEGER"))
		return as_index(as, INDEX_MAX, index);
	if (!as_number(as, 0, UINT64_MAX, &value))
		return false;
	*index = (uint32_t)as->ints.n;
	VEC_PUSH(&as->ints, value);
	return *index <= INDEX_MAX || as_refuse(as, "too many constants");
}

static bool
as_str_operand(struct as *as, uint32_t *off)
{
	struct strbuf text = { 0 };
	bool ok;

	if (as_accept(as, "DT_STRING"))
		return as_index(as, INDEX_MAX, off);
	strbuf_adds(&text, "");
	ok = as_quoted(as, &text);
	if (ok) {
		*off = as_intern(as, text.s);
		ok = *off <= INDEX_MAX || as_refuse(as, "too many strings");
	}
	strbuf_fini(&text);
	return ok;
}

static bool
as_push_type(struct as *as, uint32_t *type)
{
	return as_expect(as, "DT_TYPE(") &&
	    as_number32(as, 10, REG_MAX, type) && as_expect(as, ")");
}

/* The operands of an instruction, as fields a, b, c or index and register. */
static bool
as_operands(struct as *as, enum dif_op op, uint32_t *ins)
{
	uint32_t a = 0, b = 0, c = 0;
	bool ok = false;

	switch (dif_opinfo[op].fmt) {
	case DIF_FMT_RRR:
		ok = as_reg(as, &a) && as_comma(as) && as_reg(as, &b) &&
		    as_comma(as) && as_reg(as, &c);
		break;
	case DIF_FMT_RR:
		ok = as_reg(as, &a) && as_comma(as) && as_reg(as, &c);
		break;
	case DIF_FMT_CMP:
		ok = as_reg(as, &a) && as_comma(as) && as_reg(as, &b);
		break;
	case DIF_FMT_TST:
		ok = as_reg(as, &a);
		break;
	case DIF_FMT_RET:
		ok = as_reg(as, &c);
		break;
	case DIF_FMT_LOAD:
		ok = as_expect(as, "[") && as_reg(as, &a) &&
		    as_expect(as, "]") && as_comma(as) && as_reg(as, &c);
		break;
	case DIF_FMT_STORE:
		ok = as_reg(as, &a) && as_comma(as) && as_expect(as, "[") &&
		    as_reg(as, &c) && as_expect(as, "]");
		break;
	case DIF_FMT_LDA:
		ok = as_named(as, false, &a) && as_comma(as) &&
		    as_reg(as, &b) && as_comma(as) && as_reg(as, &c);
		ok = ok &&
		    (a <= REG_MAX ||
			as_refuse(as, "%u is not the number of an array", a));
		break;
	case DIF_FMT_PUSH:
		ok = as_push_type(as, &a) && as_comma(as) && as_reg(as, &b) &&
		    as_comma(as) && as_reg(as, &c);
		break;
	case DIF_FMT_NONE:
		ok = true;
		break;
	case DIF_FMT_BRANCH:
		ok = as_label(as, &a);
		*ins = dif_instr_b(op, a);
		return ok;
	case DIF_FMT_SETX:
		ok = as_int_operand(as, &a) && as_comma(as) && as_reg(as, &c);
		*ins = dif_instr_w(op, a, c);
		return ok;
	case DIF_FMT_SETS:
		ok = as_str_operand(as, &a) && as_comma(as) && as_reg(as, &c);
		*ins = dif_instr_w(op, a, c);
		return ok;
	case DIF_FMT_LDV:
		ok = as_named(as, false, &a) && as_comma(as) && as_reg(as, &c);
		*ins = dif_instr_w(op, a, c);
		return ok;
	case DIF_FMT_STV:
		ok = as_reg(as, &c) && as_comma(as) && as_named(as, false, &a);
		*ins = dif_instr_w(op, a, c);
		return ok;
	case DIF_FMT_CALL:
		ok = as_named(as, true, &a) && as_comma(as) && as_reg(as, &c);
		*ins = dif_instr_w(op, a, c);
		return ok;
	case DIF_FMT_XL:
		ok = as_number32(as, 0, INDEX_MAX, &a) && as_comma(as) &&
		    as_reg(as, &c);
		*ins = dif_instr_w(op, a, c);
		return ok;
	case DIF_FMT_INVALID:
		return false;
	}
	*ins = dif_instr(op, a, b, c);
	return ok;
}

/* The bits of an instruction that its text does not show. */
static uint32_t
hidden_bits(enum dif_op op)
{
	switch (dif_opinfo[op].fmt) {
	case DIF_FMT_RR:
	case DIF_FMT_LOAD:
	case DIF_FMT_STORE:
		return 0x00ff00;
	case DIF_FMT_CMP:
		return 0x0000ff;
	case DIF_FMT_TST:
		return 0x00ffff;
	case DIF_FMT_RET:
		return 0xffff00;
	case DIF_FMT_NONE:
		return 0xffffff;
	case DIF_FMT_RRR:
	case DIF_FMT_BRANCH:
	case DIF_FMT_SETX:
	case DIF_FMT_SETS:
	case DIF_FMT_LDA:
	case DIF_FMT_LDV:
	case DIF_FMT_STV:
	case DIF_FMT_CALL:
	case DIF_FMT_PUSH:
	case DIF_FMT_XL:
	case DIF_FMT_INVALID:
		return 0;
	}
	return 0;
}

/* ---- lines -------------------------------------------------------------- */

static bool
as_find_op(const char *mnem, size_t len, enum dif_op *op)
{
	for (unsigned i = 0; i < 256; i++) {
		const char *m = dif_opinfo[i].mnem;

		if (m != NULL && strlen(m) == len &&
		    memcmp(m, mnem, len) == 0) {
			*op = (enum dif_op)i;
			return true;
		}
	}
	return false;
}

static bool
as_label_here(struct as *as, size_t len)
{
	char *name = mem_strndup(as->p, len);
	uint32_t id;
	bool ok = true;

	id = strtab_intern(&as->labels, name);
	while (as->label_at.n < id)
		VEC_PUSH(&as->label_at, UINT32_MAX);
	if (as->label_at.v[id - 1] != UINT32_MAX)
		ok = as_refuse(as, "label %s is there twice", name);
	as->label_at.v[id - 1] = (uint32_t)as->text.n;
	free(name);
	as->p += len + 1;
	return ok;
}

/* "07:" counts instructions, "name:" is a label. */
static bool
as_prefix(struct as *as)
{
	size_t n = as_word_len(as);
	uint32_t pc = 0;

	if (n == 0 || as->p + n == as->end || as->p[n] != ':')
		return true;
	if (!isdigit((unsigned char)*as->p))
		return as_label_here(as, n);
	if (!as_number32(as, 10, UINT32_MAX, &pc))
		return false;
	as->p++;
	if (pc == as->text.n)
		return true;
	return as_refuse(
	    as, "instruction %zu has the number %u", as->text.n, pc);
}

/* The word of a listing: exactly eight hexadecimal digits. */
static bool
as_listed_word(struct as *as, uint32_t *ins)
{
	size_t n = as_word_len(as);

	for (size_t i = 0; i < n; i++) {
		if (!isxdigit((unsigned char)as->p[i]))
			return false;
	}
	return n == 8 && as_number32(as, 16, UINT32_MAX, ins);
}

static bool
as_instruction(struct as *as, bool has_word, uint32_t word)
{
	enum dif_op op = DIF_OP_NOP;
	size_t n = as_word_len(as);
	uint32_t ins = 0;

	if (!as_find_op(as->p, n, &op))
		return as_refuse(
		    as, "there is no instruction '%.*s'", (int)n, as->p);
	as->p += n;
	if (!as_operands(as, op, &ins) || !as_end(as))
		return false;
	if (has_word && ((ins ^ word) & ~hidden_bits(op)) != 0)
		return as_refuse(as,
		    "%08x is not the word of this "
		    "instruction, which is %08x",
		    word, ins);
	VEC_PUSH(&as->text, has_word ? word : ins);
	return true;
}

static bool
as_text_line(struct as *as)
{
	uint32_t word = 0;
	bool has_word;

	if (!as_prefix(as))
		return false;
	if (as_at_end(as))
		return true;
	has_word = as_listed_word(as, &word);
	if (has_word && as_accept(as, "???")) {
		if (dif_opinfo[dif_instr_op(word)].mnem != NULL)
			return as_refuse(as, "%08x has a name", word);
		VEC_PUSH(&as->text, word);
		return as_end(as);
	}
	return as_instruction(as, has_word, word);
}

static bool
as_line(struct as *as)
{
	if (as_at_end(as) || as_accept(as, "OFF OPCODE"))
		return true;
	if (as_accept(as, "DT_INTEGER"))
		return as_int_line(as);
	if (as_accept(as, "DT_STRING"))
		return as_str_line(as);
	if (as_accept(as, "DT_KREL"))
		return as_krel_line(as);
	if (as_accept(as, "DT_XLREF"))
		return as_xlref_line(as);
	if (as_accept(as, "DIFO returns")) {
		as->has_type = true;
		return as_type(as, &as->rtype) && as_end(as);
	}
	if (as->in_vars)
		return as_var_line(as);
	if (as_accept(as, "NAME ")) {
		as->in_vars = true;
		return true;
	}
	return as_text_line(as);
}

/* ---- objects ------------------------------------------------------------ */

static bool
as_resolve(struct as *as)
{
	VEC_FOREACH(&as->fixups, fix) {
		uint32_t at = fix->label <= as->label_at.n ?
		    as->label_at.v[fix->label - 1] :
		    UINT32_MAX;

		as->line = fix->line;
		if (at == UINT32_MAX)
			return as_refuse(as, "there is no label %s",
			    strtab_str(&as->labels, fix->label));
		if (at > LABEL_MAX)
			return as_refuse(as, "label %s is too far away",
			    strtab_str(&as->labels, fix->label));
		as->text.v[fix->pc] |= at;
	}
	return true;
}

static bool
as_lines(struct as *as, const char *text, size_t len)
{
	const char *end = text + len;

	while (text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));

		as->line++;
		as->p = text;
		as->end = nl != NULL ? nl : end;
		if (!as_line(as))
			return false;
		text = as->end + 1;
	}
	if (!as->has_type)
		return as_refuse(as, "there is no line 'DIFO returns'");
	return as_resolve(as);
}

/* Move the vectors into the object. */
static struct dif_obj *
as_finish(struct as *as)
{
	struct dif_obj *dp = mem_alloc(sizeof(*dp));

	dp->text = as->text.v;
	dp->ntext = (uint32_t)as->text.n;
	dp->inttab = as->ints.v;
	dp->nint = (uint32_t)as->ints.n;
	dp->strtab = as->strs.s;
	dp->strlen = (uint32_t)as->strs.len;
	dp->vartab = as->vars.v;
	dp->nvar = (uint32_t)as->vars.n;
	dp->krels = as->krels.v;
	dp->nkrel = (uint32_t)as->krels.n;
	dp->xlrefs = as->xlrefs.v;
	dp->nxlref = (uint32_t)as->xlrefs.n;
	dp->rtype = as->rtype;
	return dp;
}

int
dif_assemble(
    const char *text, size_t len, struct dif_obj **outp, struct err *err)
{
	struct as as = { .err = err };
	struct dif_obj *dp;
	bool ok;

	strtab_init(&as.labels);
	ok = as_lines(&as, text, len);
	strtab_fini(&as.labels);
	VEC_FREE(&as.label_at);
	VEC_FREE(&as.fixups);
	dp = as_finish(&as);
	if (!ok) {
		dif_obj_destroy(dp);
		return -EINVAL;
	}
	*outp = dp;
	return 0;
}
