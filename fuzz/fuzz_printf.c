/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * printf formats: any text is parsed or gives a message.  A parsed format can
 * be checked, and rendered with any data, fitting or not.  Any bytes can be cut
 * and escaped as text.
 *
 * Input: 32 bytes of data, then the format up to a NUL or the end.
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "consumer.h"

#define DATA_BYTES 32
#define NARGS 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct ctf_type enum_type = { .kind = CTF_K_ENUM, .size = 4 };
static const struct dif_action of_enum = { .type = &enum_type };
static const struct plan_rec recs[NARGS] = {
	{ .size = 4, .store = PLAN_BYTES },
	{ .size = 16, .store = PLAN_STR_COMM },
	{ .size = 32, .store = PLAN_BYTES },
	{ .size = 16, .store = PLAN_STACK },
	{ .size = 8, .store = PLAN_BYTES },
	{ .size = 1, .store = PLAN_BYTES },
	{ .size = 4, .store = PLAN_STR_ID },
	{ .size = 4, .store = PLAN_BYTES, .src = &of_enum },
};
static const enum pf_argkind kinds[NARGS] = { PF_ARG_INT, PF_ARG_STRING,
	PF_ARG_BYTES, PF_ARG_STACK, PF_ARG_POINTER, PF_ARG_INT, PF_ARG_STRING,
	PF_ARG_ENUM };
static const char *const types[NARGS] = { "int", "string", "char [32]", "stack",
	"void *", "char", "string", "enum e" };

/* Resolving names of hosts and services would leave this process: skip
 * those. */
static bool
asks_resolver(const struct pf_format *pf)
{
	VEC_FOREACH(&pf->convs, pc)
		if (pc->info != NULL &&
		    (pc->info->render == PF_RENDER_HOST ||
			pc->info->render == PF_RENDER_PORT))
			return true;
	return false;
}

/*
 * Text of any bytes: a part that fits does so, an escaped one holds no control
 * character but newlines and tabs, and nothing is escaped twice.
 */
static void
check_text(const char *s, size_t len)
{
	struct strbuf once = { 0 }, twice = { 0 };
	size_t columns = utf8_columns(s, len);

	assert(utf8_fit(s, len, columns) == len);
	for (size_t n = 0; n < columns; n++)
		assert(utf8_columns(s, utf8_fit(s, len, n)) <= n);
	for (size_t n = 0; n <= len; n++)
		assert(utf8_cut(s, n) <= n && n - utf8_cut(s, n) < 4);
	out_visible(&once, s, len);
	for (size_t i = 0; i < once.len; i++)
		assert(once.s[i] == '\n' || once.s[i] == '\t' ||
		    (unsigned char)once.s[i] >= ' ');
	out_visible(&twice, once.s, once.len);
	assert(once.len == twice.len && memcmp(once.s, twice.s, once.len) == 0);
	strbuf_fini(&once);
	strbuf_fini(&twice);
}

/* Begin with each datum in turn, so that every conversion meets each datum. */
static void
render_all(const struct pf_format *pf, const char *data)
{
	struct consumer *c = the_consumer();

	for (size_t first = 0; first < NARGS; first++) {
		struct datum args[NARGS];

		for (size_t i = 0; i < NARGS; i++)
			args[i] =
			    (struct datum){ .rec = &recs[(first + i) % NARGS],
				    .data = data };
		c->has_escapes = first % 2;
		printf_render(c, pf, args, NARGS, NULL);
		strbuf_reset(&c->buf);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_Alignas(8) char bytes[DATA_BYTES];
	const char *tag;
	char *fmt;
	struct err err = { 0 };
	struct pf_format *pf;

	if (size < DATA_BYTES)
		return 0;
	memcpy(bytes, data, DATA_BYTES);
	check_text(bytes, DATA_BYTES);
	fmt = mem_strndup((const char *)data + DATA_BYTES, size - DATA_BYTES);
	for (int is_printa = 0; is_printa < 2; is_printa++) {
		if (printf_check(fmt, is_printa, kinds, types, NARGS, &err) !=
		    NULL)
			err_clear(&err);
	}
	pf = pf_parse(fmt, &tag, &err);
	if (pf == NULL)
		err_clear(&err);
	else if (!asks_resolver(pf))
		render_all(pf, bytes);
	pf_destroy(pf);
	free(fmt);
	return 0;
}
