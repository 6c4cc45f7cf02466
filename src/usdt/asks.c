/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How objects ask whether a probe is enabled.
 *
 * The function's value is the answer with the headers of illumos, FreeBSD and
 * Solaris.  With those of Oracle's DTrace for Linux it takes the address of a
 * flag, which it sets.  Both have the same name, so the calls have to tell:
 * whoever does not pass an address has not just put one into %rdi.
 */
#include "usdt/stubs.h"

#include <string.h>

#include <gelf.h>

#include "x86/insn.h"

/* Hostile files have calls without end: so many are looked at. */
#define CALLS_MAX 64
#define FUNCTION_MAX 65536U

struct asking {
	Elf *elf;
	Elf_Scn *symtab;
	size_t symbol; /* the function's */
	size_t ncalls; /* looked at */
};

/* A function of the object, and the offset in it of a call's operand. */
struct caller {
	struct x86_code code;
	size_t operand;
};

/* The function that has this place of a section; false: none. */
static bool
find_caller(
    const struct asking *as, size_t section, uint64_t place, struct caller *out)
{
	Elf_Data *syms = elf_getdata(as->symtab, NULL);
	Elf_Data *text = elf_getdata(elf_getscn(as->elf, section), NULL);
	GElf_Sym sym;

	if (syms == NULL || text == NULL || text->d_buf == NULL)
		return false;
	for (int i = 0; gelf_getsym(syms, i, &sym) != NULL; i++) {
		if (sym.st_shndx != section ||
		    GELF_ST_TYPE(sym.st_info) != STT_FUNC ||
		    place < sym.st_value || place - sym.st_value >= sym.st_size)
			continue;
		if (sym.st_value > text->d_size ||
		    sym.st_size > text->d_size - sym.st_value)
			return false;
		out->code = (struct x86_code){
			.bytes = (const uint8_t *)text->d_buf + sym.st_value,
			.len = sym.st_size
		};
		out->operand = place - sym.st_value;
		return out->operand < FUNCTION_MAX;
	}
	return false;
}

/* XOR %edi, %edi, or MOV of a constant: it makes no address of a flag. */
static bool
is_constant(const uint8_t *insn)
{
	insn += (*insn & 0xf0) == 0x40; /* REX */
	return memcmp(insn, "\x31\xff", 2) == 0 ||
	    memcmp(insn, "\x33\xff", 2) == 0 || *insn == 0xbf ||
	    memcmp(insn, "\xc7\xc7", 2) == 0;
}

/*
 * What has the instruction that has the operand in %rdi?  Instructions are
 * followed as they stand.  No call leaves an argument there for the next one.
 */
static enum usdt_asks
asks_there(const struct caller *at)
{
	enum usdt_asks asks = USDT_ASKS_VALUE;
	struct x86_effect effect;
	struct x86_insn insn;

	for (size_t off = 0; x86_decode(&at->code, off, &insn) &&
	     x86_effect(&at->code, off, &effect);
	     off += insn.len) {
		bool is_call = insn.kind == X86_CALL ||
		    insn.kind == X86_CALL_FAR || insn.kind == X86_JMP ||
		    insn.kind == X86_JMP_MEM;

		if (at->operand < off + insn.len)
			return is_call ? asks : USDT_ASKS_UNKNOWN;
		if (is_call || insn.kind == X86_RET)
			asks = USDT_ASKS_VALUE;
		else if ((effect.writes & 1U << X86_DI) != 0)
			asks = is_constant(at->code.bytes + off) ?
			    USDT_ASKS_VALUE :
			    USDT_ASKS_POINTER;
	}
	return USDT_ASKS_UNKNOWN;
}

static enum usdt_asks
asks_in(struct asking *as, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	enum usdt_asks asks = USDT_ASKS_UNKNOWN;
	struct caller at;
	GElf_Rela rela;

	for (int i = 0; data != NULL && asks == USDT_ASKS_UNKNOWN &&
	     as->ncalls < CALLS_MAX && gelf_getrela(data, i, &rela) != NULL;
	     i++) {
		if (GELF_R_SYM(rela.r_info) != as->symbol)
			continue;
		as->ncalls++;
		if (find_caller(as, sh->sh_info, rela.r_offset, &at))
			asks = asks_there(&at);
	}
	return asks;
}

int
usdt_asks(Elf *elf, Elf_Scn *symtab, size_t symbol, enum usdt_asks *out,
    struct err *err)
{
	struct asking as = { elf, symtab, symbol, 0 };
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	int rc;

	*out = USDT_ASKS_UNKNOWN;
	if (gelf_getclass(elf) != ELFCLASS64)
		return 0; /* on i386 the others pass no address, either */
	rc = x86_init(err);
	while (rc == 0 && *out == USDT_ASKS_UNKNOWN &&
	    (scn = elf_nextscn(elf, scn)) != NULL) {
		if (gelf_getshdr(scn, &sh) != NULL && sh.sh_type == SHT_RELA &&
		    sh.sh_link == elf_ndxscn(symtab))
			*out = asks_in(&as, scn, &sh);
	}
	return rc;
}
