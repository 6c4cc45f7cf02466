/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names from the table of Go's runtime, in each of its layouts.  The files are
 * made here, with two functions; tests/programs/test_foreign.py has real ones.
 */
#include "unit.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/err.h"
#include "base/mem.h"
#include "sym/elf_syms.h"

#define TEXT 0x401000
#define TEXT_LEN 0x80
#define NAMES 256 /* offset of names in the table */
#define FUNCS 512
#define RECORD 128 /* behind FUNCS; the second follows at RECORD_LEN */
#define RECORD_LEN 16
#define TABLE_LEN 1024
#define TABLE_OFF 1024 /* offset in the file */

static const char names[] = "_rt0_amd64_linux\0main\xc2\xb7main";
static const char sections[] = "\0.text\0.gopclntab\0.shstrtab";

/* Names that a linker may write, and the names that dtrace makes of them. */
struct made {
	uint32_t magic;
	int text, names, funcs; /* words of the header; 0: none */
	size_t width;
	uint64_t text_is;
	uint64_t entry;
	bool is_known;
};

static void
put(uint8_t *to, uint64_t value, size_t width)
{
	memcpy(to, &value, width);
}

static void
put_word(uint8_t *table, int word, uint64_t value)
{
	if (word != 0)
		put(table + 8 * (size_t)word, value, 8);
}

/* Two functions, of 32 and of 96 bytes, and the end of code. */
static void
make_table(const struct made *m, uint8_t *t)
{
	static const uint64_t starts[] = { 0, 32, TEXT_LEN };
	uint64_t base = m->text != 0 ? 0 : TEXT;
	uint64_t name_at = m->names != 0 ? 0 : NAMES;
	uint8_t *funcs = t + (m->funcs != 0 ? FUNCS : 0);
	uint8_t *pair = m->funcs != 0 ? funcs : t + 16;

	put(t, m->magic, 4);
	t[6] = 1;
	t[7] = 8;
	put_word(t, 1, 2);
	put_word(t, m->text, m->text_is);
	put_word(t, m->names, NAMES);
	put_word(t, m->funcs, FUNCS);
	memcpy(t + NAMES, names, sizeof(names));
	for (uint64_t i = 0; i < 3; i++, pair += 2 * m->width) {
		uint64_t record = RECORD + RECORD_LEN * i;

		put(pair, base + starts[i], m->width);
		if (i == 2)
			break;
		put(pair + m->width, record, m->width);
		put(funcs + record, base + starts[i], m->width);
		put(funcs + record + m->width,
		    name_at + (i == 0 ? 0 : sizeof("_rt0_amd64_linux")), 4);
	}
}

static void
make_section(uint8_t *img, size_t i, const char *name, Elf64_Shdr sh)
{
	const char *at = memmem(sections, sizeof(sections), name, strlen(name));

	sh.sh_name = (uint32_t)(at - sections);
	memcpy(img + sizeof(Elf64_Ehdr) + i * sizeof(sh), &sh, sizeof(sh));
}

/* Write headers, section names, code (with padding at the end), and the
 * table. */
static void
make_file(const struct made *m, uint8_t *img)
{
	size_t strs = sizeof(Elf64_Ehdr) + 4 * sizeof(Elf64_Shdr), code = 512;
	Elf64_Ehdr eh = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64,
			      ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_entry = m->entry,
		.e_shoff = sizeof(eh),
		.e_ehsize = sizeof(eh),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 4,
		.e_shstrndx = 3 };

	memcpy(img, &eh, sizeof(eh));
	make_section(img, 1, ".text",
	    (Elf64_Shdr){ .sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		.sh_addr = TEXT,
		.sh_offset = code,
		.sh_size = TEXT_LEN });
	make_section(img, 2, ".gopclntab",
	    (Elf64_Shdr){ .sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC,
		.sh_addr = 0x402000,
		.sh_offset = TABLE_OFF,
		.sh_size = TABLE_LEN });
	make_section(img, 3, ".shstrtab",
	    (Elf64_Shdr){ .sh_type = SHT_STRTAB,
		.sh_offset = strs,
		.sh_size = sizeof(sections) });
	memcpy(img + strs, sections, sizeof(sections));
	memset(img + code, 0x90, TEXT_LEN);
	memset(img + code + TEXT_LEN - 5, 0xcc, 5);
	make_table(m, img + TABLE_OFF);
}

#define MADE_LEN (TABLE_OFF + TABLE_LEN)

static const struct made layouts[] = {
	/* Go 1.15, 1.16, 1.18, 1.20 and 1.27, which leaves the text out */
	{ 0xfffffffb, 0, 0, 0, 8, 0, TEXT, true },
	{ 0xfffffffa, 0, 3, 7, 8, 0, TEXT, true },
	{ 0xfffffff0, 3, 4, 8, 4, TEXT, TEXT, true },
	{ 0xfffffff1, 3, 4, 8, 4, TEXT, TEXT, true },
	{ 0xfffffff1, 3, 4, 8, 4, 0, TEXT, true },
	/* an unknown future layout; a program that begins elsewhere */
	{ 0xffffffe0, 3, 4, 8, 4, TEXT, TEXT, false },
	{ 0xfffffff1, 3, 4, 8, 4, TEXT, TEXT + 32, false },
	{ 0xfffffff1, 3, 4, 8, 4, TEXT, TEXT + 8, false },
	{ 0xfffffff1, 3, 4, 8, 4, TEXT - 32, TEXT, false },
};

static struct elf_syms *
parse(const uint8_t *img)
{
	struct err err = { 0 };
	struct elf_syms *es = elf_syms_parse(img, MADE_LEN, &err);

	if (es == NULL)
		fail_msg("%s", err.text);
	return es;
}

static void
each_layout(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		uint8_t img[MADE_LEN] = { 0 };
		const struct elf_sym *sym;
		struct elf_syms *es;

		make_file(&layouts[i], img);
		es = parse(img);
		sym = elf_syms_by_name(es, "main.main");
		assert_int_equal(sym != NULL, layouts[i].is_known);
		if (sym != NULL) {
			assert_int_equal(sym->value, TEXT + 32);
			assert_int_equal(sym->size, TEXT_LEN - 32 - 5);
			assert_int_equal(sym->shndx, 1);
			assert_string_equal(
			    elf_sym_name(es, elf_syms_by_addr(es, TEXT)),
			    "_rt0_amd64_linux");
		}
		elf_syms_rele(es);
	}
}

/* Each wrong word of the table causes no read outside of the file. */
static void
hostile_tables(void **state)
{
	static const uint64_t wrong[] = { 0, 1, TABLE_LEN - 1, TABLE_LEN,
		TEXT + TEXT_LEN, UINT32_MAX, UINT64_MAX - 8, UINT64_MAX };

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		for (size_t off = 8; off + 8 <= TABLE_LEN; off += 4) {
			for (size_t k = 0; k < sizeof(wrong) / 8; k++) {
				uint8_t img[MADE_LEN] = { 0 };

				make_file(&layouts[i], img);
				put(img + TABLE_OFF + off, wrong[k], 8);
				elf_syms_rele(parse(img));
			}
		}
	}
}

#define MANY 50000
#define MANY_LEN (MADE_LEN + 8 * (MANY + 1) + 16)

/* Append pairs for many functions of one byte, and records for two names.
 * These bytes are the code, too. */
static void
add_many(uint8_t *img)
{
	uint8_t *t = img + TABLE_OFF, *pairs = t + TABLE_LEN;
	uint8_t *records = pairs + 8 * (MANY + 1);

	make_section(img, 1, ".text",
	    (Elf64_Shdr){ .sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		.sh_addr = TEXT,
		.sh_offset = TABLE_OFF,
		.sh_size = MANY + 64 });
	make_section(img, 2, ".gopclntab",
	    (Elf64_Shdr){ .sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC,
		.sh_addr = TEXT + MANY + 64,
		.sh_offset = TABLE_OFF,
		.sh_size = MANY_LEN - TABLE_OFF });
	put_word(t, 1, MANY);
	put_word(t, layouts[3].funcs, TABLE_LEN);
	for (size_t i = 0; i <= MANY; i++) {
		put(pairs + 8 * i, i != 0 ? 31 + i : 0, 4);
		put(pairs + 8 * i + 4, 8 * (MANY + 1) + (i != 0 ? 8 : 0), 4);
	}
	put(records + 4, 0, 4);
	put(records + 12, sizeof(names) - sizeof("main"), 4);
}

/* The limit counts the memory of functions. */
static void
functions_without_number(void **state)
{
	uint8_t *img = mem_alloc(MANY_LEN);
	struct elf_syms *es;
	struct err err = { 0 };

	(void)state;
	make_file(&layouts[3], img);
	add_many(img);
	es = elf_syms_parse(img, MANY_LEN, &err);
	assert_non_null(es);
	assert_int_equal(elf_syms_count(es), MANY);
	elf_syms_rele(es);
	bounds_set_max((uint64_t)2 << 20);
	assert_null(elf_syms_parse(img, MANY_LEN, &err));
	assert_non_null(strstr(err.text, "2 MB of memory; -x analysismax=4m"));
	bounds_set_max(BOUNDS_MAX);
	err_clear(&err);
	free(img);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_layout),
		cmocka_unit_test(hostile_tables),
		cmocka_unit_test(functions_without_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
