/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Choose the place of the uprobe of a site.
 *
 * The cost of an entry probe depends on the instruction under it, and often a
 * cheaper one follows the function's first (x86/entry.h).  All calls must pass
 * there, so dtrace decodes the function and the section around it: assembly
 * functions jump behind the beginning of other functions, and such a jump does
 * not enter those.
 */
#include "exec/bpf/site.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"
#include "x86/entry.h"
#include "x86/jumps.h"

#define TEXT_MAX (64 << 20) /* largest section that is decoded, bytes */

/* A section of code, decoded. */
struct site_text {
	const struct dt_ufile *file;
	uint64_t off;
	struct x86_jumps jumps; /* empty if the section cannot be read */
};

struct bx_places {
	VEC(struct site_text) texts;
};

struct bx_places *
bx_places_create(void)
{
	return mem_alloc(sizeof(struct bx_places));
}

void
bx_places_destroy(struct bx_places *ps)
{
	if (ps == NULL)
		return;
	VEC_FOREACH(&ps->texts, t)
		x86_jumps_fini(&t->jumps);
	VEC_FREE(&ps->texts);
	free(ps);
}

/* ---- jumps into functions ------------------------------------------------ */

/* Read code.  NULL: it is too large, or cannot be read.  The caller frees
 * it. */
static uint8_t *
read_code(const struct dt_ufile *file, uint64_t off, uint64_t len, uint64_t max)
{
	uint8_t *bytes;

	if (len == 0 || len > max)
		return NULL;
	bytes = mem_alloc(len);
	if (pread(file->fd, bytes, len, (off_t)off) == (ssize_t)len)
		return bytes;
	free(bytes);
	return NULL;
}

static const struct site_text *
text_of(struct bx_places *ps, const struct dt_ufile *file,
    const struct dt_ufunc *func, bool is_32)
{
	struct site_text new = { .file = file, .off = func->text_off };
	uint8_t *bytes;

	VEC_FOREACH(&ps->texts, t) {
		if (t->file == file && t->off == func->text_off)
			return t;
	}
	bytes = read_code(file, func->text_off, func->text_len, TEXT_MAX);
	if (bytes != NULL)
		x86_jumps_find(
		    &(struct x86_code){ bytes, func->text_len, is_32 },
		    &new.jumps);
	free(bytes);
	VEC_PUSH(&ps->texts, new);
	return &ps->texts.v[ps->texts.n - 1];
}

/* The first offset of the function in [from, to) that is the target of a jump
 * in its section; `to`: there is none. */
static uint64_t
jump_into(struct bx_places *ps, const struct dt_ufile *file,
    const struct dt_ufunc *func, bool is_32, uint64_t from, uint64_t to)
{
	uint64_t start = func->off - func->text_off;

	if (func->text_len == 0)
		return to;
	return x86_jumps_first(&text_of(ps, file, func, is_32)->jumps,
		   start + from, start + to) -
	    start;
}

/* ---- places -------------------------------------------------------------- */

static struct x86_site
entry_site(struct bx_places *ps, const struct dt_usites *up,
    const struct dt_usite *site, const struct x86_code *code)
{
	const struct dt_ufunc *func = site->func;
	struct x86_site s = x86_entry_site(code, func->own_len, func->taken);
	uint64_t into;

	if (s.off == 0)
		return s;
	into = jump_into(ps, site->file, func, up->is_32, 1, s.off + 1);
	return into <= s.off ? x86_entry_site(code, into, func->taken) : s;
}

/* The place of an entry: the function's first instruction if its code cannot be
 * read. */
static struct bx_place
entry_place(struct bx_places *ps, const struct dt_usites *up,
    const struct dt_usite *site)
{
	struct bx_place place = { .off = site->off, .word = BX_SITE_IS_ENTRY };
	uint64_t len = site->func->len;
	uint8_t *bytes = read_code(site->file, site->func->off, len, len);
	const struct x86_code code = { bytes, len, up->is_32 };
	struct x86_site s;

	if (bytes == NULL)
		return place;
	s = entry_site(ps, up, site, &code);
	free(bytes);
	place.off += s.off;
	place.word |= s.pushed | s.off << BX_SITE_DELTA_SHIFT;
	return place;
}

static uint32_t
return_word(const struct dt_usite *site)
{
	return (uint32_t)site->func_off << BX_SITE_COND_BITS | site->cond;
}

struct bx_place
bx_place_of(
    struct bx_places *ps, const struct dt_probe *p, const struct dt_usite *site)
{
	struct bx_place place = { .off = site->off };

	if (p->kind == DT_PROBE_FUNC_ENTRY)
		return entry_place(ps, p->up, site);
	if (p->kind == DT_PROBE_FUNC_RETURN)
		place.word = return_word(site);
	else if (p->kind == DT_PROBE_USDT)
		place.word = site->args->number;
	else if (p->kind == DT_PROBE_LOADER)
		place.word = (uint32_t)site->r_debug;
	else if (site->is_first)
		place.word = BX_SITE_IS_ENTRY;
	return place;
}

bool
bx_place_may_be(const struct dt_usite *site, uint64_t off)
{
	return off == site->off ||
	    (site->func != NULL && off - site->off < X86_ENTRY_MAX);
}

bool
bx_has_entry_place(const struct dt_code_place *at)
{
	/* decode the whole function only if its first instruction is not
	 * available */
	if ((at->func->taken & 1) == 0 && x86_can_probe(at->code, 0))
		return true;
	return x86_entry_site(at->code, at->func->own_len, at->func->taken)
	    .is_possible;
}
