/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How objects ask whether a probe is enabled.
 *
 * With the headers of illumos, FreeBSD and Solaris the function returns the
 * answer.  With those of Oracle's DTrace for Linux it returns nothing, and
 * stores the answer where its argument points.  Both functions have the same
 * name, so the code around the calls has to tell:
 *
 *	value	%eax is used after the call
 *	flag	%eax is not used, and an address was put into %rdi right before
 *		the call
 *
 * A function that stores its answer although the caller gave no address would
 * destroy memory of the program.  So a call that is neither is no reason to
 * make one.
 */
#include "usdt/stubs.h"

#include <errno.h>
#include <string.h>

#include <gelf.h>

#include "x86/insn.h"

#define FUNCTION_MAX 65536U
#define FOLLOWED 16 /* instructions after the call */

/* A function of the object, and the offset in it of a call's operand. */
struct caller {
	struct x86_code code;
	size_t operand;
};

/* ---- one call ------------------------------------------------------------ */

/* Offsets to which the function jumps, as bits. */
struct targets {
	uint8_t bits[FUNCTION_MAX / 8];
};

static void
find_targets(const struct x86_code *code, struct targets *out)
{
	struct x86_insn insn;

	for (size_t off = 0; x86_decode(code, off, &insn); off += insn.len) {
		if ((insn.kind == X86_JMP || insn.kind == X86_JCC) &&
		    insn.target < FUNCTION_MAX)
			out->bits[insn.target / 8] |=
			    (uint8_t)(1U << insn.target % 8);
	}
}

static bool
is_target(const struct targets *ts, size_t off)
{
	return off < FUNCTION_MAX && (ts->bits[off / 8] >> off % 8 & 1) != 0;
}

static bool
is_call(const struct x86_insn *insn)
{
	return insn->kind == X86_CALL || insn->kind == X86_CALL_FAR;
}

static bool
is_branch(const struct x86_insn *insn)
{
	return insn->kind != X86_PLAIN && insn->kind != X86_NOP &&
	    insn->kind != X86_PUSH && !is_call(insn);
}

/* LEA, or MOV of 64 bits between registers or from memory. */
static bool
moves_address(const uint8_t *insn)
{
	return (insn[0] & 0xf8) == 0x48 &&
	    (insn[1] == 0x8d || insn[1] == 0x89 || insn[1] == 0x8b);
}

/*
 * Does %rdi have an address that the calling block has put there?  *after is
 * the offset behind the call; 0: the operand is not that of a call.
 */
static bool
gives_address(const struct caller *at, const struct targets *ts, size_t *after)
{
	bool has_address = false;
	struct x86_effect effect;
	struct x86_insn insn;

	*after = 0;
	for (size_t off = 0; x86_decode(&at->code, off, &insn) &&
	     x86_effect(&at->code, off, &effect);
	     off += insn.len) {
		if (is_target(ts, off))
			has_address = false;
		if (at->operand < off + insn.len) {
			*after = is_call(&insn) ? off + insn.len : 0;
			return has_address;
		}
		if (is_call(&insn) || is_branch(&insn))
			has_address = false;
		else if ((effect.writes & 1U << X86_DI) != 0)
			has_address = moves_address(at->code.bytes + off);
	}
	return false;
}

/*
 * Is %eax used behind a call before something else is in it?  A return hands it
 * on, unless the function has chosen between ways first.
 */
static bool
uses_value(const struct x86_code *code, size_t off)
{
	struct x86_effect effect;
	bool has_chosen = false;
	struct x86_insn insn;

	for (int i = 0; i < FOLLOWED && x86_decode(code, off, &insn) &&
	     x86_effect(code, off, &effect);
	     i++, off += insn.len) {
		if ((effect.reads & 1U << X86_AX) != 0)
			return true;
		if (insn.kind == X86_RET)
			return !has_chosen;
		has_chosen |= insn.kind == X86_JCC;
		if ((effect.writes & 1U << X86_AX) != 0 || is_call(&insn))
			return false;
		if (insn.kind == X86_JMP)
			off = insn.target - insn.len;
	}
	return false;
}

static enum usdt_asks
asks_there(const struct caller *at)
{
	struct targets ts = { { 0 } };
	bool has_address;
	size_t after;

	find_targets(&at->code, &ts);
	has_address = gives_address(at, &ts, &after);
	if (after == 0)
		return USDT_ASKS_UNKNOWN;
	if (uses_value(&at->code, after))
		return USDT_ASKS_VALUE;
	return has_address ? USDT_ASKS_POINTER : USDT_ASKS_UNKNOWN;
}

/* ---- all calls ----------------------------------------------------------- */

static bool
spend(struct usdt_asking *as)
{
	if (as->left == 0)
		return false;
	as->left--;
	return true;
}

/* The function that has this place of a section; false: none. */
static bool
find_caller(
    struct usdt_asking *as, size_t section, uint64_t place, struct caller *out)
{
	Elf_Data *syms = elf_getdata(as->symtab, NULL);
	Elf_Data *text = elf_getdata(elf_getscn(as->elf, section), NULL);
	GElf_Sym sym;

	if (syms == NULL || text == NULL || text->d_buf == NULL)
		return false;
	for (int i = 0; spend(as) && gelf_getsym(syms, i, &sym) != NULL; i++) {
		if (sym.st_shndx != section ||
		    GELF_ST_TYPE(sym.st_info) != STT_FUNC ||
		    place < sym.st_value || place - sym.st_value >= sym.st_size)
			continue;
		if (sym.st_value > text->d_size ||
		    sym.st_size > text->d_size - sym.st_value ||
		    sym.st_size > FUNCTION_MAX)
			return false;
		out->code = (struct x86_code){
			.bytes = (const uint8_t *)text->d_buf + sym.st_value,
			.len = sym.st_size
		};
		out->operand = place - sym.st_value;
		/* decoding takes longer than looking at a symbol */
		as->left -= as->left < sym.st_size ? as->left : sym.st_size;
		return true;
	}
	return false;
}

static bool
merge_asks(enum usdt_asks *asks, enum usdt_asks other)
{
	if (*asks == USDT_ASKS_UNKNOWN)
		*asks = other;
	return other == USDT_ASKS_UNKNOWN || other == *asks;
}

/* Returns false if calls ask in two ways. */
static bool
merge_section(struct usdt_asking *as, size_t symbol, Elf_Scn *scn,
    const GElf_Shdr *sh, enum usdt_asks *asks)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	struct caller at;
	GElf_Rela rela;

	for (int i = 0;
	     data != NULL && spend(as) && gelf_getrela(data, i, &rela) != NULL;
	     i++) {
		if (GELF_R_SYM(rela.r_info) == symbol &&
		    find_caller(as, sh->sh_info, rela.r_offset, &at) &&
		    !merge_asks(asks, asks_there(&at)))
			return false;
	}
	return true;
}

int
usdt_asks(struct usdt_asking *as, size_t symbol, enum usdt_asks *asks,
    struct err *err)
{
	Elf_Scn *scn = NULL;
	bool is_one = true;
	GElf_Shdr sh;
	int rc;

	*asks = USDT_ASKS_UNKNOWN;
	if (gelf_getclass(as->elf) != ELFCLASS64)
		return 0; /* Oracle's headers are for 64-bit programs */
	rc = x86_init(err);
	if (rc != 0)
		return rc;
	while (is_one && (scn = elf_nextscn(as->elf, scn)) != NULL) {
		if (gelf_getshdr(scn, &sh) != NULL && sh.sh_type == SHT_RELA &&
		    sh.sh_link == elf_ndxscn(as->symtab))
			is_one = merge_section(as, symbol, scn, &sh, asks);
	}
	if (!is_one)
		return err_set(err, -EINVAL, "in two ways");
	if (as->left == 0)
		return err_set(err, -E2BIG, "too often to look at all calls");
	return 0;
}
