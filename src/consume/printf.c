/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * printf() and printa(): a parsed format and data -> text.
 *
 * fmt/ checked that conversions and arguments fit when D was compiled.  The
 * consumer does not rely on it, since programs also come from elsewhere: a
 * datum that does not fit prints as harmless text, and nothing is read beyond
 * the datum.
 */
#include "consume/consume_impl.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "consume/ksyms.h"

/* One rendering: the arguments that are left. */
struct pf_state {
	struct consumer *c;
	struct strbuf *sb;
	const struct datum *args;
	size_t nargs, next;
	const struct agg_row *row; /* printa(), or NULL */
	size_t next_agg;
};

/* A conversion with its dynamic width and precision filled in. */
struct pf_spec {
	const struct pf_conv *pc;
	int width, prec;
	bool left;
};

static const struct datum *
next_arg(struct pf_state *st)
{
	return st->next < st->nargs ? &st->args[st->next++] : NULL;
}

static int
next_size(struct pf_state *st)
{
	const struct datum *d = next_arg(st);
	int64_t v = d ? datum_int(d) : 0;

	if (v > PF_WIDTH_MAX)
		return PF_WIDTH_MAX;
	return v < -PF_WIDTH_MAX ? -PF_WIDTH_MAX : (int)v;
}

/*
 * As in C, a negative width means left-aligned, a negative precision means
 * none.  A precision of 0 means none as well, as in every DTrace: %.0s is the
 * whole string.
 */
static struct pf_spec
spec_resolve(struct pf_state *st, const struct pf_conv *pc)
{
	struct pf_spec spec = { pc, pc->width, pc->prec, pc->left };

	if (pc->width_star)
		spec.width = next_size(st);
	if (pc->width_star && spec.width < 0) {
		spec.left = true;
		spec.width = -spec.width;
	}
	if (pc->prec_star)
		spec.prec = next_size(st);
	if (spec.prec == 0 && pc->info->render != PF_RENDER_FLOAT)
		spec.prec = -1;
	return spec;
}

/*
 * A precision that is written in the format lays out a table: columns.  One
 * that is an argument is the length of the data: bytes, as in
 * printf("%.*s", arg2, stringof(this->buf)).
 */
static size_t
cut_text(const struct pf_spec *spec, const char *s, size_t len)
{
	if (spec->prec < 0)
		return len;
	if (!spec->pc->prec_star)
		return utf8_fit(s, len, (size_t)spec->prec);
	return (size_t)spec->prec < len ? utf8_cut(s, (size_t)spec->prec) : len;
}

static void
put_text(
    struct pf_state *st, const struct pf_spec *spec, const char *s, size_t len)
{
	out_data(st->c, s, cut_text(spec, s, len), spec->width, spec->left);
}

/* Append text built elsewhere; precision does not cut it. */
static void
put_built(struct pf_state *st, const struct pf_spec *spec, struct strbuf *text)
{
	out_data(
	    st->c, text->s ? text->s : "", text->len, spec->width, spec->left);
	strbuf_fini(text);
}

/* ------------------------------------------------------------------------ */

/* "%-+ #0'*.*ll" and the conversion: the format for libc. */
static void
libc_format(char *buf, const struct pf_spec *spec, const char *mod, char conv)
{
	const struct pf_conv *pc = spec->pc;

	*buf++ = '%';
	if (spec->left)
		*buf++ = '-';
	if (pc->plus)
		*buf++ = '+';
	if (pc->space)
		*buf++ = ' ';
	if (pc->alt)
		*buf++ = '#';
	if (pc->zero)
		*buf++ = '0';
	if (pc->thousands)
		*buf++ = '\'';
	sprintf(buf, "*.*%s%c", mod, conv);
}

/*
 * The format is made above from flags and one conversion letter, never from
 * data, so a literal is not needed for safety.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void
put_libc_int(struct pf_state *st, const struct pf_spec *spec, uint64_t v)
{
	char f[24], conv = spec->pc->conv[0];

	libc_format(f, spec, "ll", conv == 'p' ? 'x' : conv);
	strbuf_printf(st->sb, f, spec->width > 0 ? spec->width : 0, spec->prec,
	    (unsigned long long)v);
}

static void
put_libc_float(struct pf_state *st, const struct pf_spec *spec, long double v)
{
	char f[24];

	libc_format(f, spec, "L", spec->pc->conv[0]);
	strbuf_printf(
	    st->sb, f, spec->width > 0 ? spec->width : 0, spec->prec, v);
}
#pragma GCC diagnostic pop

static void
put_signed(struct pf_state *st, const struct pf_spec *spec, int64_t v)
{
	if (spec->pc->plain)
		out_i64(st->sb, v, spec->width);
	else
		put_libc_int(st, spec, (uint64_t)v);
}

static void
put_unsigned(struct pf_state *st, const struct pf_spec *spec, uint64_t v)
{
	if (spec->pc->conv[0] == 'u' && spec->pc->plain)
		out_u64(st->sb, v, spec->width);
	else
		put_libc_int(st, spec, v);
}

/*
 * The D type gives the width and sign of a value: a uint8_t of 200 is 200 with
 * %d.  A modifier that narrows makes it signed, as in C.
 */
static void
put_sint(struct pf_state *st, const struct pf_spec *spec, const struct datum *d)
{
	unsigned shift = 64 - 8 * spec->pc->size;
	bool is_cut = spec->pc->size < d->rec->size;
	const struct dif_action *src = d->rec->src;
	int64_t v;

	if (is_cut)
		v = (int64_t)(datum_uint(d) << shift) >> shift;
	else if (src == NULL || src->is_signed)
		v = datum_int(d);
	else if ((v = (int64_t)datum_uint(d)) < 0) {
		struct pf_conv as_u = *spec->pc;
		struct pf_spec uspec = *spec;

		strcpy(as_u.conv, "u");
		uspec.pc = &as_u;
		put_unsigned(st, &uspec, (uint64_t)v);
		return;
	}
	put_signed(st, spec, v);
}

static void
put_uint(struct pf_state *st, const struct pf_spec *spec, const struct datum *d)
{
	unsigned shift = 64 - 8 * spec->pc->size;

	put_unsigned(st, spec, datum_uint(d) << shift >> shift);
}

static void
put_float(
    struct pf_state *st, const struct pf_spec *spec, const struct datum *d)
{
	long double ld = 0;
	double dbl;
	float flt;

	if (d->rec->size == sizeof(flt)) {
		memcpy(&flt, d->data, sizeof(flt));
		ld = (long double)flt;
	} else if (d->rec->size == sizeof(dbl)) {
		memcpy(&dbl, d->data, sizeof(dbl));
		ld = (long double)dbl;
	} else if (d->rec->size == sizeof(ld))
		memcpy(&ld, d->data, sizeof(ld));
	put_libc_float(st, spec, ld);
}

/* ------------------------------------------------------------------------ */

static void
put_char(struct pf_state *st, const struct pf_spec *spec, const struct datum *d)
{
	char ch = (char)datum_uint(d);

	out_data(st->c, &ch, 1, spec->width, spec->left);
}

static void
put_char_esc(
    struct pf_state *st, const struct pf_spec *spec, const struct datum *d)
{
	struct strbuf text = { 0 };

	out_escaped(&text, (char)datum_uint(d));
	put_built(st, spec, &text);
}

static void
put_wide_char(
    struct pf_state *st, const struct pf_spec *spec, const struct datum *d)
{
	struct strbuf text = { 0 };

	out_utf8(&text, (uint32_t)datum_uint(d));
	put_built(st, spec, &text);
}

static void
put_str(struct pf_state *st, const struct pf_spec *spec, const struct datum *d)
{
	size_t len;
	const char *s = datum_text(st->c->pl, d, &len);

	put_text(st, spec, s, len);
}

static void
put_str_esc(
    struct pf_state *st, const struct pf_spec *spec, const struct datum *d)
{
	struct strbuf text = { 0 };
	size_t len;
	const char *s = datum_text(st->c->pl, d, &len);

	out_escape(&text, s, cut_text(spec, s, len), utf8_printable);
	put_built(st, spec, &text);
}

/* The name of an enumerator, with any of the conversions of strings. */
static void
put_enum(struct pf_state *st, const struct pf_spec *spec, const struct datum *d)
{
	struct strbuf text = { 0 };

	value_enum_text(st->c, d, &text);
	put_text(st, spec, text.s, text.len);
	strbuf_fini(&text);
}

/* wchar_t is 4 bytes here; an interned string has no wide form. */
static void
put_wide(struct pf_state *st, const struct pf_spec *spec, const struct datum *d)
{
	struct strbuf text = { 0 };
	uint32_t wc, n = d->rec->size / sizeof(wc);

	if (d->rec->store == PLAN_STR_ID) {
		put_str(st, spec, d);
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		memcpy(&wc, (const char *)d->data + i * sizeof(wc), sizeof(wc));
		if (wc == 0 || (spec->prec >= 0 && i >= (uint32_t)spec->prec))
			break;
		out_utf8(&text, wc);
	}
	put_built(st, spec, &text);
}

/* ------------------------------------------------------------------------ */

static void
put_kaddr(
    struct pf_state *st, const struct pf_spec *spec, const struct datum *d)
{
	struct strbuf text = { 0 };

	if (datum_is_symbol(d))
		symbol_text(st->c, d, &text);
	else
		symbol_format_kernel(st->c, datum_uint(d), &text);
	put_built(st, spec, &text);
}

/* A key that is a number has no process: the address belongs to $target. */
static void
put_uaddr(
    struct pf_state *st, const struct pf_spec *spec, const struct datum *d)
{
	const struct consume_opts *opts = &st->c->opts;
	struct strbuf text = { 0 };

	if (datum_is_symbol(d)) {
		put_kaddr(st, spec, d);
		return;
	}
	if (opts->target != 0)
		symbol_format_user(st->c, (uint64_t)opts->target, datum_uint(d),
		    d->time_ns, &text);
	else
		strbuf_add_hex(&text, datum_uint(d));
	put_built(st, spec, &text);
}

static void
put_stack(
    struct pf_state *st, const struct pf_spec *spec, const struct datum *d)
{
	int indent =
	    spec->width >= 0 ? spec->width : (int)st->c->opts.stackindent;

	if (PLAN_IS_STACK(d->rec->store))
		out_stack(st->c, d, indent);
}

static void
put_host(struct pf_state *st, const struct pf_spec *spec, const struct datum *d)
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST }, *ai;
	char host[NI_MAXHOST], *addr;
	struct strbuf text = { 0 };
	size_t len;
	const char *s = datum_text(st->c->pl, d, &len);

	addr = mem_strndup(s, len);
	if (getaddrinfo(addr, NULL, &hints, &ai) == 0) {
		if (getnameinfo(ai->ai_addr, ai->ai_addrlen, host, sizeof(host),
			NULL, 0, NI_NAMEREQD) == 0)
			strbuf_adds(&text, host);
		freeaddrinfo(ai);
	}
	if (text.len == 0)
		strbuf_adds(&text, addr);
	free(addr);
	put_built(st, spec, &text);
}

static void
put_port(struct pf_state *st, const struct pf_spec *spec, const struct datum *d)
{
	struct servent se, *found = NULL;
	struct strbuf text = { 0 };
	uint64_t port = datum_uint(d);
	char buf[1024];

	if (port <= UINT16_MAX)
		getservbyport_r(
		    htons((uint16_t)port), NULL, &se, buf, sizeof(buf), &found);
	if (found != NULL)
		strbuf_adds(&text, found->s_name);
	else
		strbuf_printf(&text, "%llu", (unsigned long long)port);
	put_built(st, spec, &text);
}

/* Nanoseconds since 1970, as walltimestamp counts, as local time. */
static struct tm
local_time(uint64_t ns)
{
	time_t sec = (time_t)(ns / 1000000000u);
	struct tm tm = { 0 };

	localtime_r(&sec, &tm);
	return tm;
}

static void
put_time(struct pf_state *st, const struct pf_spec *spec, uint64_t ns)
{
	struct tm tm = local_time(ns);
	char text[64];

	put_text(st, spec, text,
	    strftime(text, sizeof(text), "%a, %d %b %Y %T %Z", &tm));
}

static void
put_date(struct pf_state *st, const struct pf_spec *spec, uint64_t ns)
{
	struct tm tm = local_time(ns);
	char text[64];

	put_text(
	    st, spec, text, strftime(text, sizeof(text), "%Y %b %e %T", &tm));
}

/* ------------------------------------------------------------------------ */

/* Called only for conversions that printf_convs.def permits with '@'. */
static void
put_number(struct pf_state *st, const struct pf_spec *spec, uint64_t v)
{
	if (spec->pc->info->render == PF_RENDER_SINT)
		put_signed(st, spec, (int64_t)v);
	else if (spec->pc->info->render == PF_RENDER_TIME)
		put_time(st, spec, v);
	else if (spec->pc->info->render == PF_RENDER_DATE)
		put_date(st, spec, v);
	else
		put_unsigned(st, spec, v);
}

/*
 * %@d: the values of the joined aggregations in turn; after the last, the last
 * again.
 */
static void
put_aggval(struct pf_state *st, const struct pf_spec *spec)
{
	struct agg *ag;
	const void *val;
	size_t i;

	if (st->row == NULL)
		return;
	i = st->next_agg++;
	if (i >= st->row->naggs)
		i = st->row->naggs - 1;
	ag = st->row->aggs[i];
	val = agg_row_val(st->row, i);
	if (hist_is_kind(ag->pa->agg->kind)) {
		agg_print_value(st->c, ag, val);
		return;
	}
	put_number(st, spec, agg_value_bits(ag, val, ag->normal));
}

static void
put_arg(struct pf_state *st, const struct pf_spec *spec, const struct datum *d)
{
	switch (spec->pc->info->render) {
	case PF_RENDER_SINT:
		put_sint(st, spec, d);
		break;
	case PF_RENDER_UINT:
		put_uint(st, spec, d);
		break;
	case PF_RENDER_CHAR:
		if (spec->pc->mod[0] == 'l')
			put_wide_char(st, spec, d);
		else
			put_char(st, spec, d);
		break;
	case PF_RENDER_CHAR_ESC:
		put_char_esc(st, spec, d);
		break;
	case PF_RENDER_STR:
		if (datum_is_enum(d))
			put_enum(st, spec, d);
		else if (spec->pc->mod[0] == 'l')
			put_wide(st, spec, d);
		else
			put_str(st, spec, d);
		break;
	case PF_RENDER_STR_ESC:
		if (datum_is_enum(d))
			put_enum(st, spec, d);
		else
			put_str_esc(st, spec, d);
		break;
	case PF_RENDER_WIDE:
		put_wide(st, spec, d);
		break;
	case PF_RENDER_WIDE_CHAR:
		put_wide_char(st, spec, d);
		break;
	case PF_RENDER_KADDR:
		put_kaddr(st, spec, d);
		break;
	case PF_RENDER_UADDR:
		put_uaddr(st, spec, d);
		break;
	case PF_RENDER_STACK:
		put_stack(st, spec, d);
		break;
	case PF_RENDER_FLOAT:
		put_float(st, spec, d);
		break;
	case PF_RENDER_HOST:
		put_host(st, spec, d);
		break;
	case PF_RENDER_PORT:
		put_port(st, spec, d);
		break;
	case PF_RENDER_TIME:
		put_time(st, spec, datum_uint(d));
		break;
	case PF_RENDER_DATE:
		put_date(st, spec, datum_uint(d));
		break;
	}
}

static void
put_conv(struct pf_state *st, const struct pf_conv *pc)
{
	struct pf_spec spec = spec_resolve(st, pc);
	const struct datum *d;

	if (pc->aggval) {
		put_aggval(st, &spec);
		return;
	}
	d = next_arg(st);
	if (d != NULL)
		put_arg(st, &spec, d);
}

void
printf_render(struct consumer *c, const struct pf_format *pf,
    const struct datum *args, size_t nargs, const struct agg_row *row)
{
	struct pf_state st = {
		.c = c, .sb = &c->buf, .args = args, .nargs = nargs, .row = row
	};

	VEC_FOREACH(&pf->convs, pc) {
		bool is_last = pc + 1 == pf->convs.v + pf->convs.n;

		out_add(&c->buf, pc->prefix, pc->prefix_len);
		if (row != NULL)
			agg_row_piece(c, row, st.next_agg,
			    PIECE_FORMAT | (is_last ? PIECE_LAST : 0));
		if (pc->info == NULL)
			continue;
		put_conv(&st, pc);
		if (row != NULL)
			agg_row_piece(c, row,
			    st.next_agg > 0 ? st.next_agg - 1 : 0,
			    pc->aggval ? PIECE_VALUE : PIECE_KEY);
	}
}
