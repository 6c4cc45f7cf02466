/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DOF: every malformed field is refused, with its place; a well-formed image
 * reads back as it was written, in any byte order.
 */
#include "unit.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "codegen/codegen.h"
#include "lang/lang.h"
#include "unit/dof_make.h"

/* ---- images ------------------------------------------------------------- */

static struct strbuf
image(void (*make)(struct dof_writer *w), enum dof_encoding enc,
    enum dof_model model, uint8_t version)
{
	const struct dof_ident id = { model, enc, version };
	struct dof_writer *w = dof_writer_create(&id);
	struct strbuf out = { 0 };

	make(w);
	dof_write_finish(w, &out);
	dof_writer_destroy(w);
	return out;
}

static void
make_nothing(struct dof_writer *w)
{
	(void)w;
}

static void
make_foreign(struct dof_writer *w)
{
	make_illumos(w, true);
}

static struct dof *
decode(const struct strbuf *sb)
{
	struct dof *d = NULL;
	struct err err = { 0 };

	if (dof_decode(sb->s, sb->len, &err, &d) != 0)
		fail_msg("%s", err.text);
	return d;
}

/* The n-th section of a type. */
static uint32_t
find(const struct dof *d, uint32_t type, unsigned n)
{
	for (uint32_t i = 0; i < d->hdr.dofh_secnum; i++) {
		if (d->secs[i].dofs_type == type && n-- == 0)
			return i;
	}
	fail_msg("no section %s", dof_sectype_name(type));
	return 0;
}

/* ---- malformed fields --------------------------------------------------- */

#define HDR(member)                                                            \
	offsetof(struct dof_hdr, member), sizeof(((struct dof_hdr *)0)->member)
#define SEC(member)                                                            \
	offsetof(struct dof_sec, member), sizeof(((struct dof_sec *)0)->member)
#define ELEM(type, member)                                                     \
	offsetof(struct type, member), sizeof(((struct type *)0)->member)

enum where { IN_HDR, IN_SECHDR, IN_SEC };

/* Damage to an image of make_all(), and the message about it. */
static const struct bad {
	enum where where;
	uint32_t type; /* type and number of the section */
	unsigned nth;
	size_t off, size;
	uint64_t value;
	const char *msg; /* a part of the message */
} bads[] = {
#include "test_dof_bad.def"
};

static size_t
place(const struct dof *d, const struct bad *b)
{
	uint32_t sec;

	if (b->where == IN_HDR)
		return b->off;
	sec = find(d, b->type, b->nth);
	if (b->where == IN_SECHDR)
		return d->hdr.dofh_secoff + (size_t)sec * DOF_SECHDR_SIZE +
		    b->off;
	return d->secs[sec].dofs_offset + b->off;
}

/* Decode for both uses.  Returns the message, or "". */
static char *
complaint(const char *img, size_t len)
{
	/* memory of exactly this size, so that ASan sees a byte too far */
	char *copy = malloc(len != 0 ? len : 1);
	struct err err = { 0 };
	struct dof *d = NULL;

	memcpy(copy, img, len);
	if (dof_decode(copy, len, &err, &d) == 0)
		dof_destroy(d);
	free(copy);
	return err.text != NULL ? err.text : mem_strdup("");
}

static void
check_bad(const struct bad *b, const struct strbuf *good, const struct dof *d)
{
	char *img = malloc(good->len), *msg;
	size_t at = place(d, b);

	memcpy(img, good->s, good->len);
	memcpy(img + at, &b->value, b->size);
	msg = complaint(img, good->len);
	if (strstr(msg, b->msg) == NULL)
		fail_msg("expected '%s', got '%s'", b->msg, msg);
	free(msg);
	free(img);
}

static void
test_malformed(void **state)
{
	struct strbuf good = image(make_all, DOF_ENCODE_LSB, DOF_MODEL_LP64, 2);
	struct dof *d = decode(&good);

	(void)state;
	for (size_t i = 0; i < sizeof(bads) / sizeof(bads[0]); i++)
		check_bad(&bads[i], &good, d);
	dof_destroy(d);
	strbuf_fini(&good);
}

/* A truncated image is refused. */
static void
test_truncated(void **state)
{
	struct strbuf good = image(make_all, DOF_ENCODE_LSB, DOF_MODEL_LP64, 2);

	(void)state;
	for (size_t len = 0; len < good.len; len++) {
		char *msg = complaint(good.s, len);

		assert_string_not_equal(msg, "");
		free(msg);
	}
	strbuf_fini(&good);
}

/*
 * Any byte may be changed: the result is a message or a listing, and nothing
 * else.
 */
static void
test_changed_bytes(void **state)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct strbuf good = image(make_all, DOF_ENCODE_LSB, DOF_MODEL_LP64, 2);

	(void)state;
	for (size_t i = 0; i < good.len * sizeof(values); i++) {
		size_t at = i / sizeof(values);
		char old = good.s[at];
		struct err err = { 0 };
		struct strbuf text = { 0 };
		struct dof *d;

		good.s[at] = (char)values[i % sizeof(values)];
		if (dof_decode(good.s, good.len, &err, &d) == 0) {
			dof_print(d, NULL, &text);
			dof_destroy(d);
		}
		err_clear(&err);
		strbuf_fini(&text);
		good.s[at] = old;
	}
	strbuf_fini(&good);
}

/* ---- small and large ---------------------------------------------------- */

static void
test_minimal(void **state)
{
	/* a header only */
	struct strbuf sb =
	    image(make_nothing, DOF_ENCODE_LSB, DOF_MODEL_LP64, 1);
	struct dof_hdr h;
	struct dof *d;
	struct err err = { 0 };

	(void)state;
	memcpy(&h, sb.s, sizeof(h));
	h.dofh_secnum = 0;
	h.dofh_secoff = 64;
	h.dofh_loadsz = h.dofh_filesz = 64;
	assert_int_equal(dof_decode(&h, sizeof(h), &err, &d), 0);
	assert_int_equal(dof_check_enabling(d, &err), 0);
	dof_destroy(d);
	strbuf_fini(&sb);
}

/* The largest image that may be enabled, and one with one byte more. */
static void
test_maximal(void **state)
{
	const struct dof_ident id = { DOF_MODEL_LP64, DOF_ENCODE_LSB, 2 };
	const size_t limit = 8 << 20, rest = 64 + 2 * 32 + 1;

	(void)state;
	for (size_t more = 0; more < 2; more++) {
		struct dof_writer *w = dof_writer_create(&id);
		char *strs = mem_alloc(limit);
		struct err err = { 0 };
		struct strbuf sb = { 0 };
		struct dof *d;

		dof_write_sec(w, DOF_SECT_STRTAB, strs, limit - rest + more);
		dof_write_finish(w, &sb);
		dof_writer_destroy(w);
		d = decode(&sb);
		assert_int_equal(d->hdr.dofh_loadsz, limit + more);
		assert_int_equal(
		    dof_check_enabling(d, &err), more == 0 ? 0 : -22);
		if (more != 0)
			assert_non_null(strstr(err.text, "more than 8388608"));
		err_clear(&err);
		dof_destroy(d);
		strbuf_fini(&sb);
		free(strs);
	}
}

/* The most actions that a clause may have, and one more. */
static void
test_many_actions(void **state)
{
	const struct dof_ident id = { DOF_MODEL_LP64, DOF_ENCODE_NATIVE, 2 };

	(void)state;
	for (uint32_t n = 16384; n <= 16385; n++) {
		struct dof_writer *w = dof_writer_create(&id);
		struct dof_actdesc *acts = mem_alloc(n * sizeof(*acts));
		uint32_t difo = make_const(w, 7, 4);
		struct strbuf sb = { 0 };
		struct dif_prog *p = NULL;
		struct dof *d;
		struct err err = { 0 };

		for (uint32_t i = 0; i < n; i++)
			acts[i] = make_act(DT_ACT_DIFEXPR, difo, 0, i + 1);
		make_ecb(w, "BEGIN", acts, n);
		dof_write_finish(w, &sb);
		dof_writer_destroy(w);
		d = decode(&sb);
		if (dof_check_enabling(d, &err) == 0) {
			assert_int_equal(
			    dof_decode_prog(d, DOF_ABI_GUESS, &err, &p), 0);
			assert_int_equal(p->clauses.v[0].actions.n, 16384);
			dif_prog_destroy(p);
		} else {
			assert_non_null(
			    strstr(err.text, "16385 actions, more than 16384"));
			assert_int_equal(n, 16385);
		}
		err_clear(&err);
		dof_destroy(d);
		strbuf_fini(&sb);
		free(acts);
	}
}

/* Unlimited sharing of sections would make an unlimited program. */
static void
test_sharing(void **state)
{
	const struct dof_ident id = { DOF_MODEL_LP64, DOF_ENCODE_NATIVE, 2 };
	struct dof_writer *w = dof_writer_create(&id);
	struct dof_actdesc acts[1000];
	struct dof_ecbdesc e = { .dofe_pred = DOF_SECIDX_NONE };
	struct strbuf sb = { 0 };
	struct dif_prog *p = NULL;
	struct err err = { 0 };
	struct dof *d;

	(void)state;
	e.dofe_pred = make_const(w, 1, 4);
	for (uint32_t i = 0; i < 1000; i++)
		acts[i] = make_act(DT_ACT_DIFEXPR, e.dofe_pred, 0, i + 1);
	e.dofe_probes = make_pdesc(w, "BEGIN");
	e.dofe_actions = dof_write_sec(w, DOF_SECT_ACTDESC, acts, 1000);
	for (uint32_t i = 0; i < 1000; i++)
		dof_write_sec(w, DOF_SECT_ECBDESC, &e, 1);
	dof_write_finish(w, &sb);
	dof_writer_destroy(w);
	d = decode(&sb);
	assert_int_equal(dof_check_enabling(d, &err), 0);
	assert_int_not_equal(dof_decode_prog(d, DOF_ABI_GUESS, &err, &p), 0);
	assert_non_null(strstr(err.text, "more than 16 times the size"));
	err_clear(&err);
	dof_destroy(d);
	strbuf_fini(&sb);
}

/* ---- byte order --------------------------------------------------------- */

/* The listing without the first line, which names the byte order. */
static char *
listing(enum dof_encoding enc)
{
	struct strbuf sb = image(make_all, enc, DOF_MODEL_ILP32, 3);
	struct strbuf text = { 0 };
	struct dof *d = decode(&sb);
	char *copy;

	dof_print(d, NULL, &text);
	copy = mem_strdup(strchr(text.s, '\n'));
	strbuf_fini(&text);
	dof_destroy(d);
	strbuf_fini(&sb);
	return copy;
}

static void
test_byte_order(void **state)
{
	char *big = listing(DOF_ENCODE_MSB), *little = listing(DOF_ENCODE_LSB);

	(void)state;
	assert_string_equal(big, little);
	free(big);
	free(little);
}

/* A big-endian ILP32 file by hand: header, one section header, "\0ab\0". */
static void
test_by_hand(void **state)
{
	static const uint8_t img[] = {
		0x7f,
		'D',
		'O',
		'F',
		1,
		2,
		1,
		2,
		8,
		8,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0, /* flags */
		0,
		0,
		0,
		64, /* hdrsize */
		0,
		0,
		0,
		32, /* secsize */
		0,
		0,
		0,
		1, /* secnum */
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		64, /* secoff */
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		100, /* loadsz */
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		100, /* filesz */
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		8, /* STRTAB */
		0,
		0,
		0,
		1, /* align */
		0,
		0,
		0,
		1, /* LOAD */
		0,
		0,
		0,
		0, /* entsize */
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		96, /* offset */
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		4, /* size */
		0,
		'a',
		'b',
		0,
	};
	struct strbuf text = { 0 };
	struct err err = { 0 };
	struct dof *d;

	(void)state;
	assert_int_equal(dof_decode(img, sizeof(img), &err, &d), 0);
	dof_print(d, NULL, &text);
	assert_string_equal(text.s,
	    "DOF version 1, ILP32, big-endian, DIF version 2, 8 integer and 8 "
	    "tuple registers\n"
	    "\tdofh_flags 0x0\n\tdofh_hdrsize 64\n\tdofh_secsize 32\n"
	    "\tdofh_secnum 1\n\tdofh_secoff 0x40\n\tdofh_loadsz 0x64\n"
	    "\tdofh_filesz 0x64\n\tdofh_pad 0x0\n"
	    "\nSECTION 0: STRTAB, offset 0x60, size 4, align 1, entsize 0, "
	    "flags 0x1 (load)\n"
	    "\t0x0: \"\"\n\t0x1: \"ab\"\n");
	strbuf_fini(&text);
	dof_destroy(d);
}

/* ---- probes of a process ------------------------------------------------ */

static void
test_usdt(void **state)
{
	static const enum dof_encoding encs[] = { DOF_ENCODE_LSB,
		DOF_ENCODE_MSB };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct strbuf sb = image(make_usdt, encs[i], DOF_MODEL_LP64, 2);
		struct dof *d = decode(&sb);
		struct dof_usdt u;
		struct err err = { 0 };

		assert_int_equal(dof_check_helper(d, &err),
		    encs[i] == DOF_ENCODE_NATIVE ? 0 : -22);
		err_clear(&err);
		dof_get_usdt(d, find(d, DOF_SECT_PROVIDER, 0), &u);
		assert_string_equal(u.name, "myprov");
		assert_int_equal(u.attrs[4], 0x06060300);
		assert_int_equal(u.probes.n, 2);
		assert_string_equal(u.probes.v[0].func, "main");
		assert_string_equal(u.probes.v[0].name, "start-up");
		assert_int_equal(u.probes.v[0].addr, 0x401000);
		assert_int_equal(u.probes.v[0].nargs.n, 2);
		assert_string_equal(u.probes.v[0].nargs.v[1], "char *");
		assert_int_equal(u.probes.v[0].xargs.n, 3);
		assert_string_equal(u.probes.v[0].xargs.v[0], "string");
		assert_int_equal(u.probes.v[0].map.v[0], 1);
		assert_int_equal(u.probes.v[0].offs.v[1], 0x44);
		assert_int_equal(u.probes.v[0].enoffs.v[0], 0x8);
		assert_string_equal(u.probes.v[1].name, "done");
		assert_int_equal(u.probes.v[1].offs.n, 1);
		assert_int_equal(u.probes.v[1].enoffs.n, 0);
		dof_usdt_fini(&u);
		dof_destroy(d);
		strbuf_fini(&sb);
	}
}

/* Probes without a site, and names longer than DTrace permits. */
static void
test_bad_helper(void **state)
{
	static const struct {
		const char *prov, *name, *msg;
		unsigned noffs;
	} cases[] = {
		{ "p", "n", NULL, 1 },
		{ "p", "n", "probe 0 has no site", 0 },
		{ "p123456789012345678901234567890123456789012345678901234567"
		  "890123",
		    "n", "the name of the provider is longer than 63", 1 },
		{ "p12345678901234567890123456789012345678901234567890123456"
		  "789012",
		    "n", NULL, 1 },
		{ "p",
		    "n123456789012345678901234567890123456789012345678901"
		    "234567890123",
		    "the name of the probe is longer than 63", 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct dof_ident id = { DOF_MODEL_LP64, DOF_ENCODE_NATIVE,
			2 };
		struct dof_writer *w = dof_writer_create(&id);
		uint32_t off = 4;
		struct dof_usdt_probe p = { .func = (char[]){ "f" },
			.name = mem_strdup(cases[i].name),
			.offs = { &off, cases[i].noffs, 1 } };
		struct dof_usdt u = { .name = mem_strdup(cases[i].prov),
			.probes = { &p, 1, 1 } };
		struct strbuf sb = { 0 };
		struct dof *d;
		struct err err = { 0 };

		dof_write_usdt(w, &u);
		dof_write_finish(w, &sb);
		dof_writer_destroy(w);
		d = decode(&sb);
		err_suffices(dof_check_helper(d, &err));
		if (cases[i].msg == NULL)
			assert_null(err.text);
		else
			assert_non_null(strstr(err.text, cases[i].msg));
		err_clear(&err);
		dof_destroy(d);
		strbuf_fini(&sb);
		free(p.name);
		free(u.name);
	}
}

/* The name of an argument's type has 127 characters at most. */
static void
test_long_types(void **state)
{
	const struct dof_ident id = { DOF_MODEL_LP64, DOF_ENCODE_NATIVE, 2 };

	(void)state;
	for (int len = 127; len <= 128; len++) {
		struct dof_writer *w = dof_writer_create(&id);
		uint32_t off = 4;
		char *type = mem_printf("%0*d", len, 0), *msg;
		struct dof_usdt_probe p = { .func = (char[]){ "f" },
			.name = (char[]){ "n" },
			.nargs = { &type, 1, 1 },
			.offs = { &off, 1, 1 } };
		struct dof_usdt u = { .name = (char[]){ "p" },
			.probes = { &p, 1, 1 } };
		struct strbuf sb = { 0 };

		dof_write_usdt(w, &u);
		dof_write_finish(w, &sb);
		dof_writer_destroy(w);
		if (len == 127) {
			dof_destroy(decode(&sb));
		} else {
			msg = complaint(sb.s, sb.len);
			if (strstr(msg, "longer than 127") == NULL)
				fail_msg("%s", msg);
			free(msg);
		}
		strbuf_fini(&sb);
		free(type);
	}
}

/* Version 1 has no is-enabled probes: its PROVIDER is shorter. */
static void
test_version_1(void **state)
{
	struct strbuf sb = image(make_usdt, DOF_ENCODE_LSB, DOF_MODEL_LP64, 2);
	struct dof *d = decode(&sb);
	uint32_t sec = find(d, DOF_SECT_PROVIDER, 0);
	size_t size_at = DOF_HDR_SIZE + sec * DOF_SECHDR_SIZE +
	    offsetof(struct dof_sec, dofs_size);
	char *msg;

	(void)state;
	dof_destroy(d);
	sb.s[size_at] = DOF_PROVIDER_V1_SIZE;
	msg = complaint(sb.s, sb.len);
	assert_non_null(strstr(msg, "dofs_size is 40, less than 44"));
	free(msg);
	/* version 1 does not know its probes' sites */
	sb.s[DOF_ID_VERSION] = 1;
	msg = complaint(sb.s, sb.len);
	assert_non_null(strstr(msg, "is-enabled sites 0 to 1"));
	free(msg);
	strbuf_fini(&sb);
}

/* ---- programs ----------------------------------------------------------- */

static struct dif_prog *
round_trip(const struct dif_prog *p)
{
	const struct dof_prog_opts opts = { .strip = true };
	struct strbuf sb = { 0 };
	struct dif_prog *q = NULL;
	struct dof *d;
	struct err err = { 0 };

	dof_encode_progs(&p, 1, &opts, &sb);
	d = decode(&sb);
	if (dof_check_enabling(d, &err) != 0 ||
	    dof_decode_prog(d, DOF_ABI_GUESS, &err, &q) != 0)
		fail_msg("%s", err.text);
	dof_destroy(d);
	strbuf_fini(&sb);
	return q;
}

/* Addresses of kernel symbols are not saved: restore them. */
static void
restore_symbols(const struct dif_obj *p, const struct dif_obj *q)
{
	if (p == NULL)
		return;
	assert_int_equal(p->nkrel, q->nkrel);
	for (uint32_t i = 0; i < p->nkrel; i++) {
		const struct dif_krel *k = &p->krels[i], *l = &q->krels[i];

		assert_string_equal(k->module, l->module);
		assert_string_equal(k->symbol, l->symbol);
		assert_int_equal(k->int_index, l->int_index);
		assert_int_equal(k->addend, l->addend);
		assert_int_equal(k->is_percpu, l->is_percpu);
		assert_int_equal(q->inttab[k->int_index], 0);
		q->inttab[k->int_index] = p->inttab[k->int_index];
	}
}

static void
restore_all_symbols(const struct dif_prog *p, const struct dif_prog *q)
{
	assert_int_equal(p->clauses.n, q->clauses.n);
	for (size_t i = 0; i < p->clauses.n; i++) {
		const struct dif_clause *c = &p->clauses.v[i];
		const struct dif_clause *d = &q->clauses.v[i];

		restore_symbols(c->pred, d->pred);
		assert_int_equal(c->actions.n, d->actions.n);
		for (size_t k = 0; k < c->actions.n; k++)
			restore_symbols(
			    c->actions.v[k].difo, d->actions.v[k].difo);
	}
}

static void
check_same(const struct dif_prog *p, const struct dif_prog *q)
{
	struct strbuf a = { 0 }, b = { 0 };

	restore_all_symbols(p, q);
	dif_prog_dump(p, NULL, &a);
	dif_prog_dump(q, NULL, &b);
	assert_string_equal(a.s != NULL ? a.s : "", b.s != NULL ? b.s : "");
	strbuf_fini(&a);
	strbuf_fini(&b);
	assert_int_equal(p->aggs.n, q->aggs.n);
	for (size_t i = 0; i < p->aggs.n; i++) {
		assert_string_equal(p->aggs.v[i].name, q->aggs.v[i].name);
		assert_int_equal(p->aggs.v[i].arg, q->aggs.v[i].arg);
		assert_int_equal(p->aggs.v[i].nkeys, q->aggs.v[i].nkeys);
	}
	assert_int_equal(p->vars.n, q->vars.n);
	for (size_t i = 0; i < p->vars.n; i++) {
		assert_string_equal(p->vars.v[i].name, q->vars.v[i].name);
		assert_string_equal(
		    p->vars.v[i].type_name, q->vars.v[i].type_name);
	}
	for (size_t i = 0; i < p->clauses.n; i++) {
		const struct dif_clause *c = &p->clauses.v[i];

		for (size_t k = 0; k < c->actions.n; k++) {
			const struct dif_action *x = &c->actions.v[k];
			const struct dif_action *y =
			    &q->clauses.v[i].actions.v[k];

			assert_int_equal(x->group, y->group);
			assert_int_equal(x->has_incr, y->has_incr);
			assert_int_equal(x->is_signed, y->is_signed);
			assert_int_equal(x->arg, y->arg);
			assert_int_equal(x->fmt != NULL, y->fmt != NULL);
			if (x->fmt != NULL)
				assert_string_equal(x->fmt, y->fmt);
		}
	}
}

/* ---- the cases of the suite --------------------------------------------- */

struct compiled {
	struct diags ds;
	struct arena arena;
	struct cg_session *s;
	struct dif_prog *prog;
};

static void
compile(struct compiled *c, const char *text, size_t len)
{
	struct lang_compile lc = { .text = text,
		.len = len,
		.pspec = LANG_PSPEC_NAME,
		.arena = &c->arena,
		.diags = &c->ds,
		.target = 1,
		.flags = LANG_F_DEFARG };
	struct ast_program *tree;

	memset(c, 0, sizeof(*c));
	diags_init(&c->ds);
	arena_init(&c->arena);
	c->s = cg_session_create();
	tree = lang_parse(&lc);
	c->prog = cg_compile(c->s, &lc, tree);
}

static void
release(struct compiled *c)
{
	dif_prog_destroy(c->prog);
	cg_session_destroy(c->s);
	diags_fini(&c->ds);
	arena_fini(&c->arena);
}

static unsigned nprograms;

static int
try_case(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	size_t len = strlen(path), n;
	struct compiled c;
	char *text;
	FILE *f;

	(void)ftw;
	if (type != FTW_F || len < 2 || strcmp(path + len - 2, ".d") != 0)
		return 0;
	text = mem_alloc((size_t)st->st_size + 1);
	f = fopen(path, "r");
	assert_non_null(f);
	n = fread(text, 1, (size_t)st->st_size, f);
	fclose(f);
	compile(&c, text, n);
	if (c.prog != NULL) {
		struct dif_prog *q = round_trip(c.prog);

		check_same(c.prog, q);
		dif_prog_destroy(q);
		nprograms++;
	}
	release(&c);
	free(text);
	return 0;
}

/* Every program of the suite that compiles here survives a round trip. */
static void
test_round_trip(void **state)
{
	(void)state;
	nprograms = 0;
	assert_int_equal(nftw(CASES_DIR, try_case, 8, FTW_PHYS), 0);
	assert_true(nprograms > 300);
}

/* ---- programs that cannot be enabled ------------------------------------ */

/* Damage to make_illumos()'s image that leaves it well formed. */
static const struct bad bad_progs[] = {
	{ IN_SEC, DOF_SECT_ACTDESC, 0, 8, 4, 0x501, "action 0 is breakpoint" },
	{ IN_SEC, DOF_SECT_ACTDESC, 0, 8, 4, 0x4000,
	    "action 0 is of an unknown kind (0x4000)" },
	{ IN_SEC, DOF_SECT_ACTDESC, 0, 8, 4, DT_ACT_PCAP,
	    "action 0 is of an unknown kind (0x4001)" },
	{ IN_SEC, DOF_SECT_ACTDESC, 0, 8, 4, 0, "action 0 is of an unknown" },
	{ IN_SEC, DOF_SECT_ACTDESC, 0, 0, 4, UINT32_MAX,
	    "action 0, trace(), needs an object" },
	{ IN_SEC, DOF_SECT_ACTDESC, 0, 32 + 12, 4, 0,
	    "action 1 has a tuple of 0" },
	{ IN_SEC, DOF_SECT_ACTDESC, 0, 32 + 12, 4, 2,
	    "action 1 has a tuple of 2, but there are 1" },
	{ IN_SEC, DOF_SECT_ACTDESC, 0, 32, 4, 3,
	    "action 1 is count(), which takes no value" },
	{ IN_SEC, DOF_SECT_ACTDESC, 0, 32 + 8, 4, 0x705,
	    "action 1, sum(), needs an object" },
	{ IN_SEC, DOF_SECT_ACTDESC, 0, 32 + 8, 4, 0x708,
	    "0x0 are no parameters of the function" },
	{ IN_SEC, DOF_SECT_ACTDESC, 0, 32 + 8, 4, 0x709,
	    "0x0 are no parameters of the function" },
	{ IN_SEC, DOF_SECT_ACTDESC, 0, 64 + 16, 8, 3,
	    "sub-action 3 is below the first one, 49" },
	{ IN_SEC, DOF_SECT_ACTDESC, 0, 64 + 16, 8, 49 + 16,
	    "action 2 has 1 data, not 2" },
	{ IN_SEC, DOF_SECT_ACTDESC, 0, 64, 4, UINT32_MAX,
	    "action 2, libact(), needs an object" },
	{ IN_SEC, DOF_SECT_ACTDESC, 0, 96, 4, UINT32_MAX,
	    "action 3, exit(), needs an object" },
	{ IN_SEC, DOF_SECT_ACTDESC, 0, 96 + 8, 4, 3,
	    "action 3 has a format but no string table" },
	{ IN_SEC, DOF_SECT_ACTDESC, 0, 96 + 8, 4, 0x401,
	    "action 3, stack(), takes no object" },
	{ IN_SEC, DOF_SECT_ACTDESC, 1, 0, 4, UINT32_MAX,
	    "action 0 does not name an aggregation" },
	{ IN_SEC, DOF_SECT_ACTDESC, 1, 8, 4, 3, "action 0: " },
	{ IN_SEC, DOF_SECT_INTTAB, 0, 0, 8, 0,
	    "does not begin with the constant id" },
	{ IN_SEC, DOF_SECT_INTTAB, 0, 0, 8, UINT32_MAX,
	    "does not begin with the constant id" },
	{ IN_SEC, DOF_SECT_INTTAB, 3, 0, 8, 2,
	    "clause 2: it prints an aggregation that no clause updates" },
	{ IN_SEC, DOF_SECT_DIF, 2, 0, 4, 0,
	    "section 9 (DIFOHDR), offset 0x320: instruction 0 (unknown opcode)" },
	{ IN_SEC, DOF_SECT_DIF, 2, 0, 4, 0x4e000001,
	    "instruction 0 (xlate): translator reference 0 is outside" },
	{ IN_SEC, DOF_SECT_DIF, 2, 0, 4, 0x2f003801,
	    "instruction 0: there is no subroutine 56 in illumos" },
	{ IN_SEC, DOF_SECT_DIF, 2, 0, 4, 0x29030001,
	    "instruction 0: there is no variable 0x300 in illumos" },
	{ IN_SEC, DOF_SECT_DIFOHDR, 2, 4, 4, 3,
	    "a value of 3 bytes cannot be returned" },
	{ IN_SEC, DOF_SECT_DIFOHDR, 2, 0, 8, 0x2000000010000,
	    "the object returns 131072 bytes, more than 65536" },
};

static void
check_bad_prog(const struct bad *b)
{
	struct strbuf sb =
	    image(make_foreign, DOF_ENCODE_NATIVE, DOF_MODEL_LP64, 2);
	struct dif_prog *p = NULL;
	struct dof *d = decode(&sb);
	struct err err = { 0 };

	memcpy(sb.s + place(d, b), &b->value, b->size);
	dof_destroy(d);
	if (dof_decode(sb.s, sb.len, &err, &d) == 0) {
		if (dof_check_enabling(d, &err) == 0 &&
		    dof_decode_prog(d, DOF_ABI_GUESS, &err, &p) == 0)
			fail_msg("accepted; expected '%s'", b->msg);
		dof_destroy(d);
	}
	if (strstr(err.text, b->msg) == NULL)
		fail_msg("expected '%s', got '%s'", b->msg, err.text);
	err_clear(&err);
	strbuf_fini(&sb);
}

static void
test_bad_programs(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad_progs) / sizeof(bad_progs[0]); i++)
		check_bad_prog(&bad_progs[i]);
}

/* A clause whose object reads variable 0x500 by the instructions `text`. */
static void
make_reader(struct dof_writer *w, uint32_t text, const struct dif_var *v)
{
	const uint32_t code[] = { text, 0x23000001 };
	const struct dif_type rtype = { .ckind = 1, .size = 8 };
	struct dof_actdesc act;
	uint32_t links[3];

	links[0] = dof_write_sec(w, DOF_SECT_DIF, code, 2);
	links[1] = dof_write_sec(w, DOF_SECT_STRTAB, "\0x", 3);
	links[2] = dof_write_sec(w, DOF_SECT_VARTAB, v, 1);
	act = make_act(
	    DT_ACT_DIFEXPR, dof_write_difohdr(w, &rtype, links, 3), 0, 1);
	make_ecb(w, "BEGIN", &act, 1);
}

/* All objects must declare a variable in the same way. */
static void
test_variables_agree(void **state)
{
	enum { LDGS = 0x29050001, LDTS = 0x2c050001, LDGAA = 0x34050001 };
	static const struct dif_var x = { 1, 0x500, DIFV_KIND_SCALAR,
		DIFV_SCOPE_GLOBAL, DIFV_F_REF, { .ckind = 1, .size = 4 } };
	static const struct {
		uint32_t text;
		struct dif_var v;
		bool agrees;
	} cases[] = {
		{ LDGS, { 1, 0x500, 1, 0, 3, { .ckind = 1, .size = 4 } },
		    true },
		{ LDGS, { 1, 0x500, 1, 0, 1, { .ckind = 1, .size = 0 } },
		    true },
		{ LDTS, { 1, 0x500, 1, 1, 1, { .ckind = 1, .size = 8 } },
		    true },
		{ LDGS, { 1, 0x500, 1, 0, 1, { .ckind = 1, .size = 8 } },
		    false },
		{ LDGS, { 1, 0x500, 1, 0, 1, { .size = 4, .flags = 1 } },
		    false },
		{ LDGS, { 1, 0x500, 1, 0, 1, { .kind = 1, .flags = 1 } },
		    false },
		{ LDGAA, { 1, 0x500, 0, 0, 1, { .ckind = 1, .size = 4 } },
		    false },
	};
	const struct dof_ident id = { DOF_MODEL_LP64, DOF_ENCODE_NATIVE, 2 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dof_writer *w = dof_writer_create(&id);
		struct strbuf sb = { 0 };
		struct dif_prog *p = NULL;
		struct err err = { 0 };
		struct dof *d;
		int rc;

		make_reader(w, LDGS, &x);
		make_reader(w, cases[i].text, &cases[i].v);
		dof_write_finish(w, &sb);
		dof_writer_destroy(w);
		d = decode(&sb);
		rc = dof_decode_prog(d, DOF_ABI_GUESS, &err, &p);
		assert_int_equal(rc, cases[i].agrees ? 0 : -22);
		if (rc == 0)
			dif_prog_destroy(p);
		else if (strstr(err.text,
			     "variable 0x500 is of another kind or "
			     "type here than in section 4 (DIFOHDR)") == NULL)
			fail_msg("%s", err.text);
		err_clear(&err);
		dof_destroy(d);
		strbuf_fini(&sb);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_changed_bytes),
		cmocka_unit_test(test_minimal),
		cmocka_unit_test(test_maximal),
		cmocka_unit_test(test_many_actions),
		cmocka_unit_test(test_sharing),
		cmocka_unit_test(test_byte_order),
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_usdt),
		cmocka_unit_test(test_bad_helper),
		cmocka_unit_test(test_long_types),
		cmocka_unit_test(test_version_1),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_bad_programs),
		cmocka_unit_test(test_variables_agree),
	};

	return cmocka_run_group_tests_name("dof", tests, NULL, NULL);
}
