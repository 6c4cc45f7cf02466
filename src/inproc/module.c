/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Find where a module's instructions begin, and which of them are targets.
 *
 * A target is any instruction that control may reach other than from the one
 * before.  A wrong target costs a place for probes; a missed target would crash
 * the program.  Targets are:
 *
 *	- where functions begin, calls return to, direct branches lead, and
 *	  ENDBR64 is;
 *	- addresses that code makes (LEA relative to %rip; constants in programs
 *	  with fixed addresses), and those in data: by relocations, or, with
 *	  fixed addresses, every word that could be one;
 *	- entries of switch tables.  Compilers write them as 32-bit offsets from
 *	  the table, whose address LEA makes: so each address that LEA makes is
 *	  read as such a table, as long as its entries lead to code;
 *	- landing pads of exceptions.
 *
 * Targets computed in other ways cannot be seen ("jump into the unrolled loop,
 * 16 bytes for each word").  Such code needs an address inside its own function
 * and a jump through a register: in a function that has both, every instruction
 * is a target.
 *
 * Code is decoded from the beginning of each function up to the next.  Data
 * between functions disturbs only itself.  Sources of different rank tell where
 * functions begin:
 *
 *	- the code that signal handlers return to is found by its bytes, before
 *	  anything is decoded.  Unwinders compare these bytes, so no probe may
 *	  be there.  Its FDE begins one byte early, and is no start;
 *	- symbols, and the entry point of the file, are starts;
 *	- an FDE is a start if the address is aligned as compilers align
 *	  functions, or has ENDBR64.  Any other FDE is only a claim: when an
 *	  instruction of the code before crosses the address, one of the two is
 *	  wrong, and neither gets probes.
 *
 * module_start.c finds starts, module_decode.c decodes, module_data.c reads
 * data, and module_func.c marks functions as a whole.
 */
#include "inproc/module.h"

#include <errno.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bounds.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/vec.h"
#include "inproc/module_impl.h"
#include "sym/elf_syms.h"
#include "unwind/unwind.h"

#define LONGEST 15 /* maximal bytes of an instruction */

/* ---- bytes --------------------------------------------------------------- */

struct ip_text *
ip_text_at(const struct inproc_module *m, uint64_t vaddr)
{
	VEC_FOREACH(&m->texts, t) {
		if (vaddr - t->vaddr < t->len)
			return t;
	}
	return NULL;
}

size_t
ip_previous(const struct ip_text *t, size_t off)
{
	const struct x86_code code = { t->bytes, t->len, false };
	struct x86_insn insn;

	for (size_t n = 1; n <= LONGEST && n <= off; n++) {
		if (t->marks[off - n] & MARK_INSN)
			return x86_decode(&code, off - n, &insn) &&
				insn.len == n ?
			    off - n :
			    off;
	}
	return off;
}

bool
ip_in_text(const struct ip_open *o, uint64_t vaddr)
{
	return ip_text_at(o->m, vaddr) != NULL;
}

void
ip_mark_start(const struct ip_open *o, uint64_t vaddr)
{
	struct ip_text *t = ip_text_at(o->m, vaddr);

	if (t == NULL)
		return;
	t->marks[vaddr - t->vaddr] |= MARK_FUNC | MARK_TARGET;
	t->marks[vaddr - t->vaddr] &= (uint8_t)~MARK_LABEL;
}

void
ip_mark(const struct ip_open *o, uint64_t vaddr, uint8_t marks)
{
	struct ip_text *t = ip_text_at(o->m, vaddr);

	if (t != NULL)
		t->marks[vaddr - t->vaddr] |= marks;
}

const uint8_t *
ip_bytes_at(const struct ip_open *o, uint64_t vaddr, size_t len)
{
	const struct ip_text *t = ip_text_at(o->m, vaddr);

	if (t != NULL)
		return len <= t->len - (vaddr - t->vaddr) ?
		    t->bytes + (vaddr - t->vaddr) :
		    NULL;
	VEC_FOREACH(&o->datas, d) {
		if (vaddr - d->vaddr < d->len)
			return len <= d->len - (vaddr - d->vaddr) ?
			    d->bytes + (vaddr - d->vaddr) :
			    NULL;
	}
	return NULL;
}

static bool
load_segment(struct ip_open *o, const struct elf_seg *seg)
{
	const uint8_t *bytes;
	uint8_t *marks;

	if (seg->filesz == 0)
		return true;
	if (seg->is_exec && !bounds_take(seg->filesz)) /* for the marks */
		return false;
	bytes = ip_load(o->m, o->fd, seg->off, seg->filesz, o->err);
	if (bytes == NULL)
		return false;
	o->loaded += seg->filesz;
	if (!seg->is_exec) {
		VEC_PUSH(
		    &o->datas, (struct data){ seg->vaddr, seg->filesz, bytes });
		return true;
	}
	marks = mem_alloc(seg->filesz + 1);
	VEC_PUSH(&o->m->memory, (struct ip_memory){ marks, 0 });
	VEC_PUSH(&o->m->texts,
	    (struct ip_text){ .vaddr = seg->vaddr,
		.len = seg->filesz,
		.is_go = o->m->is_go,
		.bytes = bytes,
		.marks = marks });
	return true;
}

static bool
load(struct ip_open *o)
{
	for (size_t i = 0; i < elf_syms_nsegs(o->es); i++) {
		if (!load_segment(o, elf_syms_seg(o->es, i)))
			return false;
	}
	return true;
}

const struct elf_sect *
ip_find_section(const struct ip_open *o, const char *name)
{
	for (size_t i = 0; i < elf_syms_nsects(o->es); i++) {
		const struct elf_sect *s = elf_syms_sect(o->es, i);

		if (s != NULL && strcmp(s->name, name) == 0)
			return s;
	}
	return NULL;
}

int
ip_compare_numbers(const void *pa, const void *pb)
{
	uint64_t a, b;

	memcpy(&a, pa, sizeof(a));
	memcpy(&b, pb, sizeof(b));
	return (a > b) - (a < b);
}

static int
compare_rows(const void *pa, const void *pb, void *arg)
{
	(void)arg;
	return ip_compare_numbers(pa, pb);
}

void
ip_sort_numbers(uint64_t *v, size_t n)
{
	sort_rows(v, n, sizeof(*v), compare_rows, NULL);
}

/* ---- opening ------------------------------------------------------------- */

bool
ip_has_section_like(const struct elf_syms *es, const char *part)
{
	for (size_t i = 1; i < elf_syms_nsects(es); i++) {
		const struct elf_sect *sect = elf_syms_sect(es, i);

		if (sect != NULL && strstr(sect->name, part) != NULL)
			return true;
	}
	return false;
}

/*
 * With a C library, threads of Go lack the words that a point needs
 * (gostack.c).
 */
static const char *
refusal(const struct elf_syms *es)
{
	if (!elf_syms_is_64(es) || elf_syms_machine(es) != EM_X86_64)
		return "it is not for x86-64";
	if (elf_syms_nsects(es) < 2)
		return "it has no section headers, so the targets of its "
		       "jumps are not known";
	if (inproc_file_is_go(es) && ip_has_section_like(es, ".interp"))
		return "it is written in Go and linked with a C library, and "
		       "stacks of Go have no room for probes; use -x "
		       "substrate=kernel";
	return NULL;
}

static bool
examine(struct ip_open *o)
{
	struct unw_places places = { 0 };
	bool is_ok;

	if (ip_find_section(o, "__rseq_cs") != NULL) {
		err_set(o->err, -EINVAL,
		    "it has restartable sequences, which cannot be moved");
		return false;
	}
	if (o->m->is_go && !ip_knows_beginning(o)) {
		err_set(o->err, -EINVAL,
		    "it is written in Go and has no symbols, so where threads begin is not known");
		return false;
	}
	is_ok = load(o);
	if (is_ok) {
		ip_mark_symbols(o);
		is_ok = ip_mark_places(o, &places);
	}
	is_ok = is_ok && ip_decode(o) && ip_mark_relocations(o);
	if (is_ok) {
		ip_mark_tables(o);
		if (elf_syms_is_fixed(o->es))
			ip_mark_all_words(o);
		ip_read_twice(o);
		ip_mark_unknown(o, &places);
		ip_doubt_unreached(o);
	}
	unw_places_fini(&places);
	return is_ok;
}

static void
open_fini(struct ip_open *o)
{
	VEC_FREE(&o->datas);
	VEC_FREE(&o->tables);
	VEC_FREE(&o->addresses);
	VEC_FREE(&o->far_jumps);
	VEC_FREE(&o->stds);
	VEC_FREE(&o->claims);
}

struct inproc_module *
inproc_module_open(int fd, const struct elf_syms *es, struct err *err)
{
	struct ip_open o = { .fd = fd, .es = es, .err = err };
	const char *why = refusal(es);
	struct bounds_meter meter;
	char *over;
	bool is_ok;

	if (why != NULL) {
		err_set(err, -EINVAL, "%s", why);
		return NULL;
	}
	o.m = mem_alloc(sizeof(*o.m));
	o.m->is_go = inproc_file_is_go(es);
	err_clear(err);
	bounds_begin(&meter);
	is_ok = examine(&o);
	open_fini(&o);
	over = bounds_end(&meter);
	if (is_ok && over == NULL)
		return o.m;
	if (over != NULL)
		err_take(err, -EINVAL, over);
	inproc_module_close(o.m);
	return NULL;
}

void
inproc_module_close(struct inproc_module *m)
{
	VEC_FOREACH(&m->texts, t) {
		VEC_FREE(&t->bad);
		VEC_FREE(&t->starts);
		VEC_FREE(&t->doubtful_calls);
		VEC_FREE(&t->keepers);
	}
	VEC_FOREACH(&m->memory, mem) {
		if (mem->len != 0)
			munmap(mem->p, mem->len);
		else
			free(mem->p);
	}
	VEC_FREE(&m->memory);
	VEC_FREE(&m->texts);
	free(m);
}
