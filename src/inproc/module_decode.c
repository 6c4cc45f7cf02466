/* SPDX-License-Identifier: BSD-2-Clause */
/* Decode a module's instructions, and note where they lead. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/err.h"
#include "base/vec.h"
#include "inproc/module.h"
#include "inproc/module_impl.h"
#include "sym/elf_syms.h"

static void
note_address(struct ip_open *o, uint64_t from, uint64_t to)
{
	/* constants may be in a segment of code */
	BOUNDS_PUSH(&o->tables, to);
	if (!ip_in_text(o, to))
		return;
	ip_mark(o, to, MARK_TARGET);
	BOUNDS_PUSH(&o->addresses, (struct code_address){ from, to });
}

void
ip_note_branch(struct ip_open *o, const struct ip_text *t, size_t off,
    const struct x86_insn *insn)
{
	switch (insn->kind) {
	case X86_CALL:
		t->marks[off + insn->len] |= MARK_TARGET;
		ip_mark(o, t->vaddr + insn->target, MARK_TARGET);
		break;
	case X86_JMP:
	case X86_JCC:
		ip_mark(o, t->vaddr + insn->target, MARK_TARGET);
		break;
	case X86_CALL_FAR:
		t->marks[off + insn->len] |= MARK_TARGET;
		break;
	case X86_JMP_REG:
	case X86_JMP_TABLE:
		BOUNDS_PUSH(&o->far_jumps, t->vaddr + off);
		break;
	case X86_PLAIN:
	case X86_NOP:
	case X86_PUSH:
	case X86_JMP_MEM:
	case X86_RET:
	case X86_TRAP:
		break;
	}
}

bool
ip_leaves(const struct x86_insn *insn)
{
	switch (insn->kind) {
	case X86_JMP:
	case X86_JMP_REG:
	case X86_JMP_MEM:
	case X86_JMP_TABLE:
	case X86_RET:
	case X86_TRAP:
		return true;
	case X86_PLAIN:
	case X86_NOP:
	case X86_PUSH:
	case X86_JCC:
	case X86_CALL:
	case X86_CALL_FAR:
		return false;
	}
	return true;
}

static void
note_insn(struct ip_open *o, const struct ip_text *t, size_t off,
    const struct x86_insn *insn)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	static const uint8_t xbegin[] = { 0xc7, 0xf8 };
	const uint8_t *bytes = t->bytes + off;
	uint8_t marks = MARK_INSN;

	if (insn->kind == X86_NOP || bytes[0] == 0xcc)
		marks |= MARK_PAD;
	if (ip_leaves(insn))
		marks |= MARK_LEAVES;
	/* a recovered panic continues behind some calls, by a table */
	if (t->is_go && insn->kind == X86_CALL)
		marks |= MARK_TARGET;
	if (insn->len == 4 && memcmp(bytes, endbr64, 4) == 0)
		marks |= MARK_TARGET;
	t->marks[off] |= marks;
	ip_note_branch(o, t, off, insn);
	if (insn->len == 6 && memcmp(bytes, xbegin, 2) == 0)
		ip_mark(o, t->vaddr + insn->target, MARK_TARGET);
	if (insn->is_lea)
		note_address(o, t->vaddr + off, t->vaddr + insn->lea);
	if (insn->has_address && elf_syms_is_fixed(o->es))
		note_address(o, t->vaddr + off, (uint64_t)insn->imm);
	if (insn->is_std)
		BOUNDS_PUSH(&o->stds, t->vaddr + off);
}

/* The offset of a function's beginning within the instruction; 0: none. */
static size_t
find_interruption(const struct ip_text *t, size_t off, size_t len)
{
	for (size_t i = 1; i < len; i++) {
		if (t->marks[off + i] & MARK_FUNC)
			return off + i;
	}
	return 0;
}

/*
 * An instruction crosses a start; if the start is only claimed, either may be
 * wrong.
 */
static void
doubt_start(const struct ip_open *o, struct ip_text *t, size_t off)
{
	uint64_t vaddr = t->vaddr + off;

	if (o->claims.n != 0 &&
	    bsearch(&vaddr, o->claims.v, o->claims.n, sizeof(*o->claims.v),
		ip_compare_numbers) != NULL)
		VEC_PUSH(&t->bad, off);
}

/* Does a section of code begin there? */
static bool
is_decoded(const struct ip_open *o, uint64_t vaddr)
{
	for (size_t i = 0; i < elf_syms_nsects(o->es); i++) {
		const struct elf_sect *s = elf_syms_sect(o->es, i);

		if (s != NULL && s->is_exec && s->size != 0 &&
		    s->vaddr == vaddr)
			return true;
	}
	return false;
}

static void
decode_range(struct ip_open *o, struct ip_text *t, size_t off, size_t end)
{
	const struct x86_code code = { t->bytes, end, false };
	struct x86_insn insn;
	size_t steps = 0;

	ip_mark_start(o, t->vaddr + off);
	while (off < end && !BOUNDS_POLL(steps)) {
		bool is_insn = x86_decode(&code, off, &insn);
		size_t start =
		    is_insn ? find_interruption(t, off, insn.len) : 0;

		if (is_insn && start == 0) {
			note_insn(o, t, off, &insn);
			off += insn.len;
			continue;
		}
		if (start != 0)
			doubt_start(o, t, start);
		t->marks[off] |= MARK_BROKEN;
		BOUNDS_PUSH(&t->bad, off);
		off++;
	}
	if (!is_decoded(o, t->vaddr + end))
		VEC_PUSH(&t->bad, end);
	/* the code before ends here, though no function begins */
	ip_mark_start(o, t->vaddr + end);
}

bool
ip_decode(struct ip_open *o)
{
	uint64_t rest = 0;
	size_t n = 0;

	VEC_FOREACH(&o->m->texts, t)
		rest += t->len;
	for (size_t i = 0; i < elf_syms_nsects(o->es); i++) {
		const struct elf_sect *s = elf_syms_sect(o->es, i);
		struct ip_text *t;

		if (s == NULL || !s->is_exec || s->size == 0)
			continue;
		if (++n > LIMIT_CODE_SECTIONS) {
			err_take(o->err, -EINVAL,
			    bounds_refusal(LIMIT_CODE_SECTIONS));
			return false;
		}
		t = ip_text_at(o->m, s->vaddr);
		if (t == NULL || s->size > t->len - (s->vaddr - t->vaddr))
			continue;
		if (s->size > rest) {
			err_set(
			    o->err, -EINVAL, "its sections of code overlap");
			return false;
		}
		rest -= s->size;
		decode_range(
		    o, t, s->vaddr - t->vaddr, s->vaddr - t->vaddr + s->size);
	}
	VEC_FOREACH(&o->m->texts, t) {
		VEC_PUSH(&t->bad, t->len);
		ip_sort_numbers(t->bad.v, t->bad.n);
	}
	return true;
}

bool
ip_is_sound(const struct ip_text *t, uint64_t from, uint64_t to)
{
	size_t lo = 0, hi = t->bad.n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (t->bad.v[mid] < from)
			lo = mid + 1;
		else
			hi = mid;
	}
	return from <= to && lo < t->bad.n && to <= t->bad.v[lo];
}
