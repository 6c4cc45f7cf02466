/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * printf formats: text -> conversions, and the check of a format against the
 * types of its arguments.
 *
 *	%[flags and width][.precision][modifier]conversion
 *
 * Flags (the '@' of aggregations is one) and the width come in any order; '?'
 * is the width of a pointer in hexadecimal.
 *
 * Parsing is total: every byte string either becomes a list of conversions,
 * each one a row of printf_convs.def, or one message.  Its conversions are safe
 * to render for any argument: widths are bounded here.  Whether conversions
 * and arguments fit together is printf_check()'s question alone.
 */
#include "fmt/fmt.h"

#include <errno.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

#define K_INT (1u << PF_ARG_INT | 1u << PF_ARG_ENUM)
#define K_STRING (1u << PF_ARG_STRING)
#define K_TEXT (1u << PF_ARG_STRING | 1u << PF_ARG_BYTES)
#define K_NAMED (K_TEXT | 1u << PF_ARG_ENUM)
#define K_STACK (1u << PF_ARG_STACK)
#define K_PTR (K_INT | 1u << PF_ARG_POINTER | 1u << PF_ARG_SOU)
#define K_ADDR (K_PTR | 1u << PF_ARG_SYM)
#define K_FLOAT (1u << PF_ARG_FLOAT)
#define M_NONE 0
#define M_INT (PF_MOD_HH | PF_MOD_H | PF_MOD_L | PF_MOD_LL)
#define M_WIDE PF_MOD_L
#define M_FLOAT (PF_MOD_L | PF_MOD_LD)

static const struct pf_convinfo pf_convinfo[] = {
#define PF_CONV(name, takes, kinds, mods, render, agg)                         \
	{ name, takes, kinds, mods, PF_RENDER_##render, agg },
#include "fmt/printf_convs.def"
#undef PF_CONV
};
#define NCONVS (sizeof(pf_convinfo) / sizeof(pf_convinfo[0]))

static const struct pf_mod {
	const char *name;
	unsigned bit;
} pf_mods[] = {
	/* longest first */
	{ "hh", PF_MOD_HH },
	{ "h", PF_MOD_H },
	{ "ll", PF_MOD_LL },
	{ "l", PF_MOD_L },
	{ "L", PF_MOD_LD },
};
#define NMODS (sizeof(pf_mods) / sizeof(pf_mods[0]))

static bool
parse_flag(struct pf_conv *pc, char c)
{
	switch (c) {
	case '-':
		return pc->left = true;
	case '+':
		return pc->plus = true;
	case ' ':
		return pc->space = true;
	case '#':
		return pc->alt = true;
	case '0':
		return pc->zero = true;
	case '\'':
		return pc->thousands = true;
	case '@':
		return pc->aggval = true;
	default:
		return false;
	}
}

/* Digits at **sp; returns false when the number is out of bounds. */
static bool
parse_number(const char **sp, int *outp)
{
	int n = 0;

	for (; isdigit((unsigned char)**sp); (*sp)++) {
		n = n * 10 + (**sp - '0');
		if (n > PF_WIDTH_MAX)
			return false;
	}
	*outp = n;
	return true;
}

static bool
parse_size(const char **sp, int *outp, bool *starp)
{
	if (**sp == '*') {
		*starp = true;
		(*sp)++;
		return true;
	}
	return parse_number(sp, outp);
}

static const struct pf_mod *
parse_mod(const char **sp)
{
	for (size_t i = 0; i < NMODS; i++) {
		size_t len = strlen(pf_mods[i].name);

		if (strncmp(*sp, pf_mods[i].name, len) == 0) {
			*sp += len;
			return &pf_mods[i];
		}
	}
	return NULL;
}

static const struct pf_convinfo *
parse_name(const char **sp)
{
	for (size_t i = 0; i < NCONVS; i++) {
		size_t len = strlen(pf_convinfo[i].name);

		if (strncmp(*sp, pf_convinfo[i].name, len) == 0) {
			*sp += len;
			return &pf_convinfo[i];
		}
	}
	return NULL;
}

/* "%-5.2lq": the conversion as written, for a message. */
static char *
conv_quote(const char *start, const char *end)
{
	struct strbuf sb = { 0 };

	if (*end != '\0')
		end++;
	for (; start < end; start++)
		if (isprint((unsigned char)*start))
			strbuf_addc(&sb, *start);
		else
			strbuf_printf(&sb, "\\%03o", (unsigned char)*start);
	return strbuf_steal(&sb);
}

static char *
conv_error(const char *start, const char *at)
{
	char *text = conv_quote(start, at), *msg;

	if (*at == '\0')
		msg =
		    mem_printf("format ends within the conversion '%s'", text);
	else if (*at == '$')
		msg = mem_printf("'%s': arguments by position are not "
				 "supported",
		    text);
	else
		msg = mem_printf("'%s' is not a format conversion", text);
	free(text);
	return msg;
}

static bool
is_before_precision(char c)
{
	return c != '\0' && strchr("-+ #'@?*0123456789", c) != NULL;
}

/* Returns false when the number is out of bounds. */
static bool
parse_flag_or_width(const char **sp, struct pf_conv *pc)
{
	enum { POINTER_DIGITS = 16 };

	if (**sp == '?') {
		pc->width = POINTER_DIGITS;
		(*sp)++;
		return true;
	}
	if (parse_flag(pc, **sp)) {
		(*sp)++;
		return true;
	}
	return parse_size(sp, &pc->width, &pc->width_star);
}

/* One conversion, after its '%'.  Returns a message (malloced) or NULL. */
static char *
parse_conv(const char **sp, struct pf_conv *pc)
{
	const char *start = *sp - 1;
	const struct pf_mod *mod;

	while (is_before_precision(**sp)) {
		if (!parse_flag_or_width(sp, pc))
			return mem_printf(
			    "field width is more than %d", PF_WIDTH_MAX);
	}
	if (**sp == '.') {
		(*sp)++;
		if (!parse_size(sp, &pc->prec, &pc->prec_star))
			return mem_printf(
			    "precision is more than %d", PF_WIDTH_MAX);
	}
	mod = parse_mod(sp);
	pc->info = parse_name(sp);
	if (pc->info == NULL)
		return conv_error(start, *sp);
	strcpy(pc->conv, pc->info->name);
	if (mod == NULL)
		return NULL;
	if ((pc->info->mods & mod->bit) == 0)
		return mem_printf("modifier '%s' does not go with conversion "
				  "'%%%s'",
		    mod->name, pc->conv);
	strcpy(pc->mod, mod->name);
	return NULL;
}

/* Compute once what every printing needs. */
static void
conv_finish(struct pf_conv *pc)
{
	pc->plain = !(pc->left || pc->plus || pc->space || pc->alt ||
	    pc->zero || pc->thousands || pc->width_star || pc->prec_star ||
	    pc->prec >= 0);
	pc->size = strcmp(pc->mod, "hh") == 0 ? 1 :
	    strcmp(pc->mod, "h") == 0	      ? 2 :
						8;
}

/* Literal text up to the next conversion or the end; %% is one '%'. */
static void
parse_literal(const char **sp, struct pf_conv *pc)
{
	struct strbuf sb = { 0 };
	const char *s = *sp;

	for (;;) {
		size_t n = strcspn(s, "%");

		strbuf_add(&sb, s, n);
		s += n;
		if (s[0] != '%' || s[1] != '%')
			break;
		strbuf_addc(&sb, '%');
		s += 2;
	}
	*sp = s;
	pc->prefix_len = sb.len;
	pc->prefix = strbuf_steal(&sb);
}

struct pf_format *
pf_parse(const char *fmt, const char **tag, struct err *err)
{
	struct pf_format *pf = mem_alloc(sizeof(*pf));
	bool is_more = true;

	while (is_more) {
		struct pf_conv pc = { .width = -1, .prec = -1 };
		char *error = NULL;

		parse_literal(&fmt, &pc);
		is_more = *fmt == '%';
		if (is_more) {
			fmt++;
			error = parse_conv(&fmt, &pc);
			conv_finish(&pc);
		}
		VEC_PUSH(&pf->convs, pc);
		if (error != NULL) {
			*tag = "D_SYNTAX";
			err_take(err, -EINVAL, error);
			pf_destroy(pf);
			return NULL;
		}
	}
	return pf;
}

void
pf_destroy(struct pf_format *pf)
{
	if (pf == NULL)
		return;
	VEC_FOREACH(&pf->convs, pc)
		free(pc->prefix);
	VEC_FREE(&pf->convs);
	free(pf);
}

/* ------------------------------------------------------------------------ */

/* The arguments that a check has still to pair with conversions. */
struct pf_check {
	bool is_printa;
	const enum pf_argkind *kinds;
	const char *const *types;
	size_t nargs, next;
	const char *tag;
	char *msg;
};

/* An argument's name: keys count from 1, printf's after the format. */
static char *
arg_name(const struct pf_check *ck, size_t i)
{
	if (ck->is_printa)
		return mem_printf("key %zu", i + 1);
	return mem_printf("argument %zu", i + 2);
}

static bool
check_dynamic(struct pf_check *ck, const struct pf_conv *pc, const char *what)
{
	size_t i = ck->next++;
	char *name;

	if (i >= ck->nargs) {
		ck->tag = "D_PRINTF_DYN_PROTO";
		ck->msg =
		    mem_printf("'*' of conversion '%%%s' needs an integer "
			       "argument for the %s, but no argument is "
			       "left",
			pc->conv, what);
		return false;
	}
	if ((K_INT & 1u << ck->kinds[i]) != 0)
		return true;
	name = arg_name(ck, i);
	ck->tag = "D_PRINTF_DYN_TYPE";
	ck->msg = mem_printf("'*' of conversion '%%%s' needs an integer for "
			     "the %s, but %s has type %s",
	    pc->conv, what, name, ck->types[i] ? ck->types[i] : "unknown");
	free(name);
	return false;
}

static bool
check_aggval(struct pf_check *ck, const struct pf_conv *pc)
{
	if (ck->is_printa && pc->info->agg)
		return true;
	ck->tag = "D_PRINTF_AGG_CONV";
	if (ck->is_printa)
		ck->msg = mem_printf("'%%@%s' cannot print an aggregation: use "
				     "%%@d",
		    pc->conv);
	else
		ck->msg = mem_printf("'%%@%s' prints an aggregation: it is for "
				     "printa() only",
		    pc->conv);
	return false;
}

/* A hint about an argument of the wrong type. */
static const char *
arg_advice(const struct pf_conv *pc, enum pf_argkind kind)
{
	/* an argument in a string's place may be the address of a string */
	if ((pc->info->kinds & 1u << PF_ARG_STRING) == 0)
		return kind == PF_ARG_STRING ? "; %s prints it" : "";
	if (kind == PF_ARG_INT)
		return "; %d prints it, copyinstr() or stringof() take the "
		       "string at an address";
	if (kind == PF_ARG_SOU)
		return "; name a member of it, with ->, or print() all of them";
	if (kind == PF_ARG_STACK)
		return "; %k prints it, and so does ustack() or stack() as a "
		       "statement";
	return kind == PF_ARG_POINTER ?
	    "; copyinstr() or stringof() take the string at an address" :
	    "";
}

static bool
check_arg(struct pf_check *ck, const struct pf_conv *pc)
{
	size_t i = ck->next++;
	char *name;

	if (i >= ck->nargs) {
		ck->tag = "D_PRINTF_ARG_PROTO";
		ck->msg = mem_printf("conversion '%%%s%s' needs %s, but no %s "
				     "is left%s",
		    pc->mod, pc->conv, pc->info->takes,
		    ck->is_printa ? "key" : "argument",
		    ck->is_printa ?
			"; '%@' and a letter, as in %@d, prints the value" :
			"");
		return false;
	}
	if (pc->info->kinds & 1u << ck->kinds[i])
		return true;
	name = arg_name(ck, i);
	ck->tag = "D_PRINTF_ARG_TYPE";
	ck->msg = mem_printf("conversion '%%%s%s' needs %s, but %s has type "
			     "%s%s",
	    pc->mod, pc->conv, pc->info->takes, name,
	    ck->types[i] ? ck->types[i] : "unknown",
	    arg_advice(pc, ck->kinds[i]));
	free(name);
	return false;
}

static bool
check_conv(struct pf_check *ck, const struct pf_conv *pc)
{
	if (pc->width_star && !check_dynamic(ck, pc, "field width"))
		return false;
	if (pc->prec_star && !check_dynamic(ck, pc, "precision"))
		return false;
	return pc->aggval ? check_aggval(ck, pc) : check_arg(ck, pc);
}

const char *
printf_check(const char *fmt, bool is_printa, const enum pf_argkind *args,
    const char *const *arg_types, size_t nargs, struct err *err)
{
	struct pf_check ck = { .is_printa = is_printa,
		.kinds = args,
		.types = arg_types,
		.nargs = nargs };
	struct pf_format *pf;

	if (*fmt == '\0') {
		err_set(err, -EINVAL, "format string is empty");
		return "D_PRINTF_FMT_EMPTY";
	}
	pf = pf_parse(fmt, &ck.tag, err);
	if (pf == NULL)
		return ck.tag;
	VEC_FOREACH(&pf->convs, pc)
		if (pc->info != NULL && !check_conv(&ck, pc))
			break;
	if (ck.tag == NULL && !is_printa && ck.next < nargs) {
		ck.tag = "D_PRINTF_ARG_EXTRA";
		ck.msg = mem_printf("format takes %zu argument%s, but %zu are "
				    "given",
		    ck.next, ck.next == 1 ? "" : "s", nargs);
	}
	pf_destroy(pf);
	if (ck.tag != NULL)
		err_take(err, -EINVAL, ck.msg);
	return ck.tag;
}
