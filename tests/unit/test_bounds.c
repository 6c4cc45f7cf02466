/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are made to be expensive are refused with the name of a limit. */
#include "unit.h"

#include <errno.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "dof/dof.h"
#include "inproc/inproc.h"
#include "sym/elf_read.h"
#include "sym/sym_impl.h"
#include "usdt/notes.h"
#include "x86/insn.h"

#define TEXT 0x400000
#define SMALL ((uint64_t)1 << 20) /* analysismax; sufficient at first */

/* A file with one segment of code; its header may claim more sections than
 * there are. */
struct made {
	struct strbuf body; /* behind the header and the segments' headers */
	VEC(Elf64_Shdr) sects;
	Elf64_Half nsegs;
	uint64_t nsects; /* number that the header claims; 0: the real number */
	uint8_t fill;	 /* of the code */
	size_t text_len;
};

static uint64_t
head_len(const struct made *m)
{
	return sizeof(Elf64_Ehdr) + m->nsegs * sizeof(Elf64_Phdr);
}

static void
add_section(struct made *m, uint32_t type, uint64_t flags, uint32_t link,
    const void *bytes, size_t len)
{
	Elf64_Shdr sh = { .sh_type = type,
		.sh_flags = flags,
		.sh_link = link,
		.sh_offset = head_len(m) + m->body.len,
		.sh_size = len,
		.sh_addr = flags & SHF_EXECINSTR ? TEXT : 0,
		.sh_entsize = type == SHT_SYMTAB ? sizeof(Elf64_Sym) : 0 };

	strbuf_add(&m->body, bytes, len);
	VEC_PUSH(&m->sects, sh);
}

/* Sections 0 (none), 1 (code) and 2 (names of sections). */
static void
begin(struct made *m)
{
	uint8_t *text = mem_alloc(m->text_len);

	m->nsegs = m->nsegs != 0 ? m->nsegs : 1;
	memset(text, m->fill, m->text_len);
	add_section(m, SHT_NULL, 0, 0, "", 0);
	add_section(
	    m, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, text, m->text_len);
	add_section(m, SHT_STRTAB, 0, 0, "", 1);
	free(text);
}

static void
add_head(const struct made *m, struct strbuf *out)
{
	Elf64_Ehdr eh = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64,
			      ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(eh),
		.e_shoff = head_len(m) + m->body.len,
		.e_ehsize = sizeof(eh),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = m->nsegs,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = m->nsects != 0 ? 0 : (Elf64_Half)m->sects.n,
		.e_shstrndx = 2 };
	Elf64_Phdr ph = { .p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_offset = head_len(m),
		.p_vaddr = TEXT,
		.p_filesz = m->text_len,
		.p_memsz = m->text_len };

	strbuf_add(out, &eh, sizeof(eh));
	for (Elf64_Half i = 0; i < m->nsegs; i++)
		strbuf_add(out, &ph, sizeof(ph));
}

/* Write the file to memory, release its parts, and return its descriptor. */
static int
finish(struct made *m)
{
	struct strbuf out = { 0 };
	int fd = memfd_create("made", MFD_CLOEXEC);

	m->sects.v[0].sh_size = m->nsects;
	add_head(m, &out);
	strbuf_add(&out, m->body.s, m->body.len);
	strbuf_add(&out, m->sects.v, m->sects.n * sizeof(*m->sects.v));
	assert_int_equal(write(fd, out.s, out.len), out.len);
	strbuf_fini(&out);
	strbuf_fini(&m->body);
	VEC_FREE(&m->sects);
	return fd;
}

/* ---- refusals ------------------------------------------------------------ */

static void
refused(struct err *err, const char *part)
{
	assert_non_null(err->text);
	if (strstr(err->text, part) == NULL)
		fail_msg("'%s' is not in '%s'", part, err->text);
	err_clear(err);
}

/* The meter's text, malloced. */
static void
over(char *why, const char *part)
{
	struct err err = { 0 };

	assert_non_null(why);
	err_take(&err, -E2BIG, why);
	refused(&err, part);
}

static void
symbols_refused(int fd, const char *part)
{
	struct err err = { 0 };

	assert_null(elf_syms_open(fd, NULL, "", &err));
	refused(&err, part);
	close(fd);
}

static void
code_refused(int fd, const char *part)
{
	struct err err = { 0 };
	struct elf_syms *es = elf_syms_open(fd, NULL, "", &err);

	assert_non_null(es);
	assert_null(inproc_module_open(fd, es, &err));
	refused(&err, part);
	elf_syms_rele(es);
	close(fd);
}

static int
none(const struct dof *d, void *arg)
{
	(void)d, (void)arg;
	return 0;
}

/* Functions that use libelf check the file first. */
static void
sections_without_number(void **state)
{
	struct made m = { .text_len = 16, .nsects = 1 << 24 };
	struct usdt_notes notes = { 0 };
	struct err err = { 0 };
	int fd;

	(void)state;
	begin(&m);
	fd = finish(&m);
	assert_true(usdt_notes_read(fd, &notes, &err) < 0);
	refused(&err, "more than 65536 sections");
	assert_true(dof_elf_iter_fd(fd, none, NULL, &err) < 0);
	refused(&err, "more than 65536 sections");
	symbols_refused(fd, "more than 65536 sections");
}

static void
names_of_sections_without_end(void **state)
{
	struct made m = { .text_len = 16 };

	(void)state;
	begin(&m);
	m.sects.v[2].sh_size = (uint64_t)1 << 30;
	symbols_refused(finish(&m), "bytes of sections' names");
}

static void
segments_without_number(void **state)
{
	struct made m = { .text_len = 16, .nsegs = 65 };

	(void)state;
	begin(&m);
	symbols_refused(finish(&m), "more than 64 segments");
}

static void
sections_of_code_without_number(void **state)
{
	struct made m = { .text_len = 4096, .fill = 0x90 };

	(void)state;
	begin(&m);
	m.sects.v[1].sh_size = 1;
	for (int i = 0; i < LIMIT_CODE_SECTIONS; i++)
		add_section(
		    &m, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, "\x90", 1);
	code_refused(finish(&m), "more than 1024 sections of code");
}

/* Code without a valid instruction: each byte is a place of its own. */
static void
code_that_is_none(void **state)
{
	struct made m = { .text_len = 256 << 10, .fill = 0x06 };

	(void)state;
	bounds_set_max(SMALL);
	begin(&m);
	code_refused(finish(&m), "1 MB of memory; -x analysismax=2m");
	bounds_set_max(BOUNDS_MAX);
}

static void
add_symbols(struct made *m, size_t n, size_t names_len)
{
	Elf64_Sym *syms = mem_alloc(n * sizeof(*syms));
	char *names = mem_alloc(names_len);

	for (size_t i = 0; i < n; i++)
		syms[i] = (Elf64_Sym){ .st_name = 1,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = 1,
			.st_value = TEXT + i };
	memset(names + 1, 'n', names_len - 1);
	add_section(m, SHT_SYMTAB, 0, 4, syms, n * sizeof(*syms));
	add_section(m, SHT_STRTAB, 0, 0, names, names_len);
	free(syms);
	free(names);
}

static void
symbols_without_number(void **state)
{
	struct made m = { .text_len = 16 };

	(void)state;
	bounds_set_max(SMALL);
	begin(&m);
	add_symbols(&m, 100000, 16);
	symbols_refused(finish(&m), "1 MB of memory; -x analysismax=2m");
	bounds_set_max(BOUNDS_MAX);
}

/* Make three symbols with very long names; the caller closes *fd. */
static struct elf_syms *
open_symbols(int *fd)
{
	struct made m = { .text_len = 16 };
	struct elf_syms *es;
	struct err err = { 0 };

	begin(&m);
	add_symbols(&m, 3, 1 << 20);
	*fd = finish(&m);
	es = elf_syms_open(*fd, NULL, "", &err);
	assert_non_null(es);
	return es;
}

/* Names longer than the limit are cut. */
static void
names_without_end(void **state)
{
	struct elf_syms *es;
	int fd;

	(void)state;
	es = open_symbols(&fd);
	assert_int_equal(
	    strlen(elf_sym_name(es, elf_syms_get(es, 0))), LIMIT_NAME - 1);
	elf_syms_rele(es);
	close(fd);
}

/* ---- answers ------------------------------------------------------------- */

/* Treat `es` as the answer of the child.  NULL: the answer is refused. */
static struct elf_syms *
answered(const struct elf_syms *es)
{
	struct confine_out out = { .fd = memfd_create("answer", MFD_CLOEXEC) };
	struct confine_in in;
	struct elf_syms *got;
	void *p;

	elf_syms_put(es, &out);
	assert_false(out.is_bad);
	p = mmap(NULL, out.len, PROT_READ, MAP_PRIVATE, out.fd, 0);
	assert_ptr_not_equal(p, MAP_FAILED);
	in = (struct confine_in){ .p = p, .left = out.len };
	got = elf_syms_take(&in);
	munmap(p, out.len);
	close(out.fd);
	return got;
}

/* A corrupted child may send an answer that no file can give. */
static void
answers_are_within_limits(void **state)
{
	struct elf_syms *es, *got;
	char *name = mem_alloc(100000);
	int fd;

	(void)state;
	es = open_symbols(&fd);
	memset(es->names.s + es->syms.v[0].name, 'n',
	    es->names.len - es->syms.v[0].name - 1);
	memset(name, 's', 100000 - 1);
	es->img.sects.v[1].name = name;
	got = answered(es);
	assert_non_null(got);
	assert_int_equal(
	    strlen(elf_sym_name(got, elf_syms_get(got, 0))), LIMIT_NAME - 1);
	assert_int_equal(
	    strlen(elf_syms_sect(got, 1)->name), ELF_SECTION_NAME_MAX);
	elf_syms_rele(got);
	while (es->img.segs.n <= LIMIT_SEGMENTS)
		VEC_PUSH(&es->img.segs, (struct elf_seg){ 0 });
	assert_null(answered(es));
	elf_syms_rele(es);
	free(name);
	close(fd);
}

/* ---- meters -------------------------------------------------------------- */

static void
time_is_of_the_thread(void **state)
{
	struct bounds_meter m;
	size_t steps = 0;

	(void)state;
	bounds_set_max(1024);
	bounds_begin(&m);
	while (!BOUNDS_POLL(steps))
		;
	over(bounds_end(&m), "0.1 s of CPU time; -x analysismax=2k");
	bounds_set_max(BOUNDS_MAX);
	assert_false(bounds_is_over());
}

/* A meter within another one counts towards the same limit. */
static void
meters_nest(void **state)
{
	struct bounds_meter outer, inner;

	(void)state;
	bounds_set_max(1024);
	bounds_begin(&outer);
	assert_true(bounds_take(600));
	bounds_begin(&inner);
	assert_true(bounds_take(400));
	assert_null(bounds_end(&inner));
	bounds_give(400);
	assert_false(bounds_take(500));
	assert_false(bounds_take(1));
	over(bounds_end(&outer), "1 KB of memory; -x analysismax=2k");
	bounds_set_max(BOUNDS_MAX);
	assert_true(bounds_take(UINT64_MAX));
}

/* ------------------------------------------------------------------------- */

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_without_number),
		cmocka_unit_test(names_of_sections_without_end),
		cmocka_unit_test(segments_without_number),
		cmocka_unit_test(sections_of_code_without_number),
		cmocka_unit_test(code_that_is_none),
		cmocka_unit_test(symbols_without_number),
		cmocka_unit_test(names_without_end),
		cmocka_unit_test(answers_are_within_limits),
		cmocka_unit_test(time_is_of_the_thread),
		cmocka_unit_test(meters_nest),
	};
	struct err err = { 0 };

	if (x86_init(&err) != 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
