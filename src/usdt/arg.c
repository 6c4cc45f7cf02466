/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Read operands as the GNU assembler writes them (its manual, "x86 Memory
 * References"), of which a compiler prints these:
 *
 *	%reg   $number   $symbol   number(base, index, scale)   symbol(%rip)
 *
 * with sums of numbers and one symbol in place of each number.  Operands that D
 * cannot read (vector registers, thread-local storage, tables of the dynamic
 * linker) are refused by name.
 */
#include "usdt/arg.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

static const struct {
	const char *names[5]; /* 64, 32, 16, 8 bits, bits 8 to 15 */
} regs[USDT_NREGS] = {
#define USDT_REG(NAME, r64, r32, r16, r8, high)                                \
	[USDT_REG_##NAME] = { { r64, r32, r16, r8, high } },
#include "usdt/usdt_regs.def"
#undef USDT_REG
};
static const uint8_t part_bits[5] = { 64, 32, 16, 8, 8 };

struct arg_reader {
	const char *p; /* the rest of the text */
	uint64_t site;
	const struct usdt_syms *syms;
	char *why; /* why the current argument is refused */
};

static bool __attribute__((format(printf, 2, 3)))
refuse(struct arg_reader *r, const char *fmt, ...)
{
	struct strbuf sb = { 0 };
	va_list ap;

	if (r->why != NULL)
		return false;
	va_start(ap, fmt);
	strbuf_vprintf(&sb, fmt, ap);
	va_end(ap);
	r->why = strbuf_steal(&sb);
	return false;
}

static bool
is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

/* ---- registers ----------------------------------------------------------- */

/* Find the register of that name, and which part of it the name means. */
static bool
find_reg(const char *name, size_t len, uint8_t *reg, size_t *part)
{
	for (uint8_t i = 0; i < USDT_NREGS; i++) {
		for (size_t k = 0; k < 5; k++) {
			const char *s = regs[i].names[k];

			if (len != 0 && strlen(s) == len &&
			    memcmp(s, name, len) == 0) {
				*reg = i;
				*part = k;
				return true;
			}
		}
	}
	return false;
}

static bool
read_reg(struct arg_reader *r, uint8_t *reg, size_t *part)
{
	const char *name;
	size_t len;

	if (*r->p != '%')
		return refuse(r, "a register is expected, not '%.*s'",
		    (int)strcspn(r->p, " "), r->p);
	name = r->p + 1;
	len = strcspn(name, "(),: ");
	if (!find_reg(name, len, reg, part))
		return refuse(r, "%.*s is no integer register",
		    (int)strcspn(r->p, ", "), r->p);
	r->p = name + len;
	return true;
}

/* A register in an address: it must be a whole one. */
static bool
read_address_reg(struct arg_reader *r, uint8_t *reg)
{
	const char *begin = r->p;
	size_t part;

	if (!read_reg(r, reg, &part))
		return false;
	if (part > 1)
		return refuse(r, "%.*s is no register of an address",
		    (int)(r->p - begin), begin);
	return true;
}

/* ---- numbers and symbols ------------------------------------------------- */

/* A displacement, and whether a symbol's address is part of it. */
struct sum {
	uint64_t value;
	bool has_symbol;
};

static bool
read_symbol(struct arg_reader *r, struct sum *sum, bool is_negative)
{
	size_t len = 0;
	uint64_t addr;
	char *name;
	bool found;

	while (is_name_char(r->p[len]))
		len++;
	if (r->p[len] == '@')
		return refuse(r, "%.*s is a place of the dynamic linker's",
		    (int)strcspn(r->p, " "), r->p);
	name = mem_strndup(r->p, len);
	found = r->syms != NULL && r->syms->find(r->syms->arg, name, &addr);
	if (!found)
		refuse(r, "the file does not say where %s is", name);
	free(name);
	if (!found)
		return false;
	if (is_negative || sum->has_symbol)
		return refuse(r, "differences of symbols are not supported");
	r->p += len;
	sum->value += addr;
	sum->has_symbol = true;
	return true;
}

/* Read digits only: strtoull() would accept signs and blanks, too. */
static bool
read_number(struct arg_reader *r, struct sum *sum, bool is_negative)
{
	char *end;
	uint64_t n = strtoull(r->p, &end, 0);

	if (is_name_char(*end))
		return refuse(
		    r, "%.*s is no number", (int)strcspn(r->p, " "), r->p);
	r->p = end;
	sum->value += is_negative ? -n : n;
	return true;
}

/* [-] term {+|- term} */
static bool
read_sum(struct arg_reader *r, struct sum *sum)
{
	bool is_negative = false;

	for (;;) {
		while (*r->p == '-' || *r->p == '+') {
			is_negative ^= *r->p == '-';
			r->p++;
		}
		if (isdigit((unsigned char)*r->p)) {
			if (!read_number(r, sum, is_negative))
				return false;
		} else if (is_name_char(*r->p)) {
			if (!read_symbol(r, sum, is_negative))
				return false;
		} else {
			return refuse(r, "'%.*s' is not understood",
			    (int)strcspn(r->p, " "), r->p);
		}
		is_negative = false;
		if (*r->p != '+' && *r->p != '-')
			return true;
	}
}

/* ---- operands ------------------------------------------------------------ */

/*
 * A symbol's address moves with the file, so take its distance from the site.
 */
static bool
take_sum(struct arg_reader *r, const struct sum *sum, struct usdt_arg *arg)
{
	arg->disp = (int64_t)sum->value;
	if (!sum->has_symbol || arg->base == USDT_REG_IP) {
		if (sum->has_symbol)
			arg->disp = (int64_t)(sum->value - r->site);
		return true;
	}
	if (arg->base != USDT_REG_NONE && arg->index != USDT_REG_NONE)
		return refuse(r,
		    "a symbol beside two registers is not "
		    "supported");
	/* an index of scale 1 serves as a second base */
	if (arg->base != USDT_REG_NONE) {
		arg->index = arg->base;
		arg->shift = 0;
	}
	arg->base = USDT_REG_IP;
	arg->disp = (int64_t)(sum->value - r->site);
	return true;
}

static bool
read_scale(struct arg_reader *r, struct usdt_arg *arg)
{
	static const char scales[] = "1248";
	const char *at = strchr(scales, *r->p);

	if (*r->p == '\0' || at == NULL)
		return refuse(r, "an index is scaled by 1, 2, 4 or 8");
	arg->shift = (uint8_t)(at - scales);
	r->p++;
	return true;
}

/*
 * Read, behind the parenthesis, "base [, index [, scale]])"; base and index may
 * each be missing.
 */
static bool
read_registers(struct arg_reader *r, struct usdt_arg *arg)
{
	if (*r->p != ',' && !read_address_reg(r, &arg->base))
		return false;
	if (*r->p == ',') {
		r->p++;
		if (!read_address_reg(r, &arg->index))
			return false;
		if (arg->index == USDT_REG_IP || arg->index == USDT_REG_SP)
			return refuse(r, "the index is no general register");
	}
	if (*r->p == ',') {
		r->p++;
		if (!read_scale(r, arg))
			return false;
	}
	if (*r->p != ')')
		return refuse(r, "a parenthesis is not closed");
	r->p++;
	return true;
}

static bool
read_memory(struct arg_reader *r, struct usdt_arg *arg)
{
	struct sum sum = { 0 };

	arg->is_memory = true;
	if (*r->p != '(' && !read_sum(r, &sum))
		return false;
	if (*r->p == '(') {
		r->p++;
		if (!read_registers(r, arg))
			return false;
	}
	/* a number alone would count from the next instruction, which no
	 * compiler means */
	if (arg->base == USDT_REG_IP && !sum.has_symbol)
		return refuse(r, "an address relative to %%rip needs a symbol");
	return take_sum(r, &sum, arg);
}

static bool
read_register_value(struct arg_reader *r, struct usdt_arg *arg)
{
	const char *begin = r->p;
	size_t part;

	if (!read_reg(r, &arg->base, &part))
		return false;
	if (*r->p == ':')
		return refuse(r,
		    "%.*s is relative to a segment, as "
		    "thread-local variables are",
		    (int)strcspn(begin, " "), begin);
	if (part_bits[part] < arg->bits)
		arg->bits = part_bits[part];
	arg->skip = part == 4 ? 8 : 0;
	return true;
}

static bool
read_operand(struct arg_reader *r, struct usdt_arg *arg)
{
	struct sum sum = { 0 };

	if (strncmp(r->p, "%fs:", 4) == 0 || strncmp(r->p, "%gs:", 4) == 0)
		return refuse(
		    r, "%.*s is thread-local", (int)strcspn(r->p, " "), r->p);
	if (*r->p == '%')
		return read_register_value(r, arg);
	if (*r->p != '$')
		return read_memory(r, arg);
	r->p++;
	return read_sum(r, &sum) && take_sum(r, &sum, arg);
}

/* ---- arguments ----------------------------------------------------------- */

/* Read "[-]N[f]@"; without it the argument is a word. */
static bool
read_size(struct arg_reader *r, struct usdt_arg *arg, int8_t *size)
{
	const char *p = r->p;
	bool is_float;

	arg->is_signed = *p == '-';
	p += arg->is_signed;
	is_float = p[0] != '\0' && p[1] == 'f';
	if (p[0] == '\0' || p[1 + is_float] != '@') {
		arg->is_signed = false;
		arg->bits = 64;
		*size = 8;
		return true;
	}
	if (strchr("1248", *p) == NULL)
		return refuse(r, "an argument has 1, 2, 4 or 8 bytes");
	*size = (int8_t)(*p - '0');
	arg->bits = (uint8_t)(8 * *size);
	*size = arg->is_signed ? (int8_t) - *size : *size;
	r->p = p + 2 + is_float;
	if (is_float)
		return refuse(r, "%.*s is a floating point number",
		    (int)strcspn(r->p, " "), r->p);
	return true;
}

static void
read_arg(struct arg_reader *r, struct usdt_arg *arg, int8_t *size)
{
	*arg =
	    (struct usdt_arg){ .base = USDT_REG_NONE, .index = USDT_REG_NONE };
	*size = 8;
	if (read_size(r, arg, size) && read_operand(r, arg) && *r->p != ' ' &&
	    *r->p != '\0')
		refuse(r, "'%.*s' is not understood", (int)strcspn(r->p, " "),
		    r->p);
	if (r->why != NULL)
		*arg = (struct usdt_arg){ .base = USDT_REG_NONE,
			.index = USDT_REG_NONE,
			.bits = 64,
			.is_refused = true };
	r->p += strcspn(r->p, " ");
}

char *
usdt_args_parse(const char *text, uint64_t site, const struct usdt_syms *syms,
    struct usdt_args *out)
{
	struct arg_reader r = { .p = text, .site = site, .syms = syms };
	struct strbuf why = { 0 };

	memset(out, 0, sizeof(*out));
	for (r.p += strspn(r.p, " "); *r.p != '\0' && out->n < USDT_MAXARGS;
	     r.p += strspn(r.p, " ")) {
		read_arg(&r, &out->v[out->n], &out->sizes[out->n]);
		if (r.why != NULL)
			strbuf_printf(&why, "arg%zu: %s\n", out->n, r.why);
		free(r.why);
		r.why = NULL;
		out->n++;
	}
	if (*r.p != '\0')
		strbuf_printf(&why,
		    "arg%d: a site has at most %d "
		    "arguments\n",
		    USDT_MAXARGS, USDT_MAXARGS);
	return why.s;
}

char *
usdt_arg_reason(const char *why, unsigned n)
{
	char *name = mem_printf("arg%u: ", n);
	const char *at = why != NULL ? strstr(why, name) : NULL;
	char *text = at == NULL ?
	    mem_strdup("it cannot be had") :
	    mem_strndup(at + strlen(name), strcspn(at + strlen(name), "\n"));

	free(name);
	return text;
}
