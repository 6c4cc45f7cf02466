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
 */
#include "inproc/module.h"

#include <errno.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/vec.h"
#include "sym/elf_syms.h"
#include "unwind/unwind.h"

#define TABLE_MAX 65536 /* entries */
#define LONGEST 15	/* maximal bytes of an instruction */
#define FUNC_ALIGN 16	/* of functions, by compilers' defaults */

#ifndef SHT_RELR
#define SHT_RELR 19
#endif

struct open {
	struct inproc_module *m;
	int fd;
	const struct elf_syms *es;
	struct err *err;
	VEC(struct data {
		uint64_t vaddr;
		size_t len;
		const uint8_t *bytes;
	})
	datas;
	VEC(uint64_t) tables; /* addresses that LEA made */
	VEC(struct code_address { uint64_t from, to; })
	addresses;		 /* the tables' addresses that are in code */
	VEC(uint64_t) far_jumps; /* jumps through a register or an index */
	VEC(uint64_t) stds;
	VEC(uint64_t) claims; /* starts that only .eh_frame has; sorted */
	uint64_t loaded;
};

/* ---- bytes -------------------------------------------------------------- */

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

static bool
in_text(const struct open *o, uint64_t vaddr)
{
	return ip_text_at(o->m, vaddr) != NULL;
}

static void
mark_start(const struct open *o, uint64_t vaddr)
{
	struct ip_text *t = ip_text_at(o->m, vaddr);

	if (t == NULL)
		return;
	t->marks[vaddr - t->vaddr] |= MARK_FUNC | MARK_TARGET;
	t->marks[vaddr - t->vaddr] &= (uint8_t)~MARK_LABEL;
}

static void
mark(const struct open *o, uint64_t vaddr, uint8_t marks)
{
	struct ip_text *t = ip_text_at(o->m, vaddr);

	if (t != NULL)
		t->marks[vaddr - t->vaddr] |= marks;
}

/* `len` bytes at any address of the module; NULL: not all are in it. */
static const uint8_t *
bytes_at(const struct open *o, uint64_t vaddr, size_t len)
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
load_segment(struct open *o, const struct elf_seg *seg)
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
load(struct open *o)
{
	for (size_t i = 0; i < elf_syms_nsegs(o->es); i++) {
		if (!load_segment(o, elf_syms_seg(o->es, i)))
			return false;
	}
	return true;
}

static const struct elf_sect *
find_section(const struct open *o, const char *name)
{
	for (size_t i = 0; i < elf_syms_nsects(o->es); i++) {
		const struct elf_sect *s = elf_syms_sect(o->es, i);

		if (s != NULL && strcmp(s->name, name) == 0)
			return s;
	}
	return NULL;
}

/* ---- functions ---------------------------------------------------------- */

static struct unw_bytes
section_bytes(const struct open *o, const char *name)
{
	const struct elf_sect *s = find_section(o, name);
	struct unw_bytes b = { (const uint8_t *)"", 0, 0 };

	if (s == NULL || s->type == SHT_NOBITS)
		return b;
	b.data = bytes_at(o, s->vaddr, s->size);
	b.len = b.data != NULL ? s->size : 0;
	b.vaddr = s->vaddr;
	return b;
}

static void sort_numbers(uint64_t *v, size_t n);

/* Does another source confirm a start that an FDE has? */
static bool
is_proved(const struct open *o, uint64_t vaddr)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const struct ip_text *t = ip_text_at(o->m, vaddr);
	const uint8_t *bytes = bytes_at(o, vaddr, sizeof(endbr64));

	return vaddr % FUNC_ALIGN == 0 ||
	    (t != NULL && t->marks[vaddr - t->vaddr] & MARK_FUNC) ||
	    (bytes != NULL && memcmp(bytes, endbr64, sizeof(endbr64)) == 0);
}

static void
mark_fde_starts(struct open *o, const struct unw_places *places)
{
	VEC_FOREACH(&places->starts, s) {
		if (!is_proved(o, *s))
			BOUNDS_PUSH(&o->claims, *s);
		mark_start(o, *s);
	}
	sort_numbers(o->claims.v, o->claims.n);
}

/*
 * Code that signal handlers return to: mov $15,%rax (or %eax); syscall.
 * Unwinders know it by these bytes (libgcc's x86_64_fallback_frame_state(),
 * gdb), and threads have its address as a return address while they handle a
 * signal.
 */
static const struct {
	const char *bytes;
	size_t len;
} sigreturns[] = {
	{ "\x48\xc7\xc0\x0f\0\0\0\x0f\x05", 9 },
	{ "\xb8\x0f\0\0\0\x0f\x05", 7 },
};
#define NSIGRETURNS (sizeof(sigreturns) / sizeof(sigreturns[0]))

static const uint8_t *
find_sigreturn(const uint8_t *bytes, size_t len, size_t which)
{
	return memmem(
	    bytes, len, sigreturns[which].bytes, sigreturns[which].len);
}

static void
pin_sigreturns_in(const struct open *o, struct ip_text *t)
{
	for (size_t i = 0; i < NSIGRETURNS; i++) {
		const uint8_t *at = t->bytes, *end = t->bytes + t->len;

		while (
		    (at = find_sigreturn(at, (size_t)(end - at), i)) != NULL) {
			size_t off = (size_t)(at++ - t->bytes);

			mark_start(o, t->vaddr + off);
			BOUNDS_PUSH(&t->bad, off);
		}
	}
}

static bool
has_sigreturn(const struct open *o, const struct unw_seg *code)
{
	const uint8_t *bytes = bytes_at(o, code->vaddr, code->size);
	bool has = false;

	for (size_t i = 0; i < NSIGRETURNS && bytes != NULL; i++)
		has |= find_sigreturn(bytes, code->size, i) != NULL;
	return has;
}

/*
 * Code of signal frames that is not recognised by its bytes stays in place,
 * with its whole function.
 */
static void
pin_sigreturns(const struct open *o, const struct unw_places *places)
{
	VEC_FOREACH(&o->m->texts, t)
		pin_sigreturns_in(o, t);
	VEC_FOREACH(&places->signals, s) {
		struct ip_text *t = ip_text_at(o->m, s->vaddr);

		if (t != NULL && !has_sigreturn(o, s))
			BOUNDS_PUSH(&t->bad, s->vaddr - t->vaddr);
	}
}

/*
 * Mark the landing pads of exceptions before anything is decoded; where they
 * are not known, whole functions are marked after decoding.
 */
static bool
mark_places(struct open *o, struct unw_places *places)
{
	struct unw_bytes eh = section_bytes(o, ".eh_frame");
	struct unw_bytes lsda = section_bytes(o, ".gcc_except_table");

	if (unw_places(&eh, &lsda, places, o->err) != 0)
		return false;
	pin_sigreturns(o, places);
	mark_fde_starts(o, places);
	VEC_FOREACH(&places->pads, p)
		mark(o, *p, MARK_TARGET);
	return true;
}

/*
 * Do not displace code that a signal handler recognises by its address: the
 * handler for cancellation asks whether the thread was there, about to enter
 * the kernel (musl, and glibc since 2.41).
 */
static void
pin_code(const struct open *o, const struct elf_sym *sym)
{
	static const char *const starts[] = { "__cp_begin",
		"__syscall_cancel_arch_start",
		/* Go: goroutines return to goexit + 1, which nothing in the
		 * code shows (runtime/proc.go, newproc1()) */
		"runtime.goexit", "runtime.goexit.abi0",
		/* Go: may be called at any instruction, which needs all
		 * registers and flags afterwards (runtime/preempt.go) */
		"runtime.asyncPreempt", "runtime.asyncPreempt.abi0",
		/* Go: the compiler keeps flags across this call (DUFFZERO in
		 * cmd/compile/internal/ssa/_gen/AMD64Ops.go) */
		"runtime.duffzero", "runtime.duffzero.abi0",
		/* Go: threads have no thread-local data yet */
		"_rt0_amd64", "_rt0_amd64_linux", "runtime.rt0_go",
		"runtime.rt0_go.abi0", "runtime.settls", "runtime.settls.abi0",
		"runtime.clone", "runtime.clone.abi0" };
	struct ip_text *t = ip_text_at(o->m, sym->value);
	const char *name = elf_sym_name(o->es, sym);

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		if (t != NULL && strcmp(name, starts[i]) == 0)
			VEC_PUSH(&t->bad, sym->value - t->vaddr);
	}
	if (t != NULL && strncmp(name, "runtime.duffzero", 16) == 0)
		VEC_PUSH(&t->keepers, sym->value - t->vaddr);
}

/* Labels first: a label that is also a function's beginning counts as one. */
static void
mark_symbols(const struct open *o)
{
	size_t steps = 0;

	for (size_t i = 0; i < elf_syms_count(o->es) && !BOUNDS_POLL(steps);
	     i++) {
		const struct elf_sym *sym = elf_syms_get(o->es, i);

		if (sym->kind == ELF_SYM_LABEL)
			mark(o, sym->value,
			    MARK_FUNC | MARK_TARGET | MARK_LABEL);
	}
	for (size_t i = 0; i < elf_syms_count(o->es) && !BOUNDS_POLL(steps);
	     i++) {
		const struct elf_sym *sym = elf_syms_get(o->es, i);

		if (elf_sym_is_code(sym) && sym->kind != ELF_SYM_LABEL)
			mark_start(o, sym->value);
		pin_code(o, sym);
	}
	mark_start(o, elf_syms_entry(o->es));
}

static int
compare(const void *pa, const void *pb)
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
	return compare(pa, pb);
}

static void
sort_numbers(uint64_t *v, size_t n)
{
	sort_rows(v, n, sizeof(*v), compare_rows, NULL);
}

/* ---- instructions ------------------------------------------------------- */

static void
note_address(struct open *o, uint64_t from, uint64_t to)
{
	/* constants may be in a segment of code */
	BOUNDS_PUSH(&o->tables, to);
	if (!in_text(o, to))
		return;
	mark(o, to, MARK_TARGET);
	BOUNDS_PUSH(&o->addresses, (struct code_address){ from, to });
}

/* Note where an instruction leads besides the next one. */
static void
note_branch(struct open *o, const struct ip_text *t, size_t off,
    const struct x86_insn *insn)
{
	switch (insn->kind) {
	case X86_CALL:
		t->marks[off + insn->len] |= MARK_TARGET;
		mark(o, t->vaddr + insn->target, MARK_TARGET);
		break;
	case X86_JMP:
	case X86_JCC:
		mark(o, t->vaddr + insn->target, MARK_TARGET);
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

static bool
leaves(const struct x86_insn *insn)
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
note_insn(struct open *o, const struct ip_text *t, size_t off,
    const struct x86_insn *insn)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	static const uint8_t xbegin[] = { 0xc7, 0xf8 };
	const uint8_t *bytes = t->bytes + off;
	uint8_t marks = MARK_INSN;

	if (insn->kind == X86_NOP || bytes[0] == 0xcc)
		marks |= MARK_PAD;
	if (leaves(insn))
		marks |= MARK_LEAVES;
	/* a recovered panic continues behind some calls, by a table */
	if (t->is_go && insn->kind == X86_CALL)
		marks |= MARK_TARGET;
	if (insn->len == 4 && memcmp(bytes, endbr64, 4) == 0)
		marks |= MARK_TARGET;
	t->marks[off] |= marks;
	note_branch(o, t, off, insn);
	if (insn->len == 6 && memcmp(bytes, xbegin, 2) == 0)
		mark(o, t->vaddr + insn->target, MARK_TARGET);
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
doubt_start(const struct open *o, struct ip_text *t, size_t off)
{
	uint64_t vaddr = t->vaddr + off;

	if (o->claims.n != 0 &&
	    bsearch(&vaddr, o->claims.v, o->claims.n, sizeof(*o->claims.v),
		compare) != NULL)
		VEC_PUSH(&t->bad, off);
}

/* Does a section of code begin there? */
static bool
is_decoded(const struct open *o, uint64_t vaddr)
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
decode_range(struct open *o, struct ip_text *t, size_t off, size_t end)
{
	const struct x86_code code = { t->bytes, end, false };
	struct x86_insn insn;
	size_t steps = 0;

	mark_start(o, t->vaddr + off);
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
		BOUNDS_PUSH(&t->bad, off);
		off++;
	}
	if (!is_decoded(o, t->vaddr + end))
		VEC_PUSH(&t->bad, end);
	/* the code before ends here, though no function begins */
	mark_start(o, t->vaddr + end);
}

/*
 * Decode each section of code once; a hostile file may have overlapping ones.
 */
static bool
decode(struct open *o)
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
		sort_numbers(t->bad.v, t->bad.n);
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

/* ---- addresses in data -------------------------------------------------- */

/* A table ends at the next address that some LEA makes. */
static void
mark_table(const struct open *o, uint64_t base, uint64_t limit)
{
	for (unsigned i = 0; i < TABLE_MAX; i++) {
		uint64_t at = base + 4ULL * i;
		const uint8_t *bytes = bytes_at(o, at, 4);
		int32_t entry;

		if (bytes == NULL || at >= limit)
			return;
		memcpy(&entry, bytes, sizeof(entry));
		if (!in_text(o, base + (uint64_t)(int64_t)entry))
			return;
		mark(o, base + (uint64_t)(int64_t)entry, MARK_TARGET);
	}
}

static void
mark_tables(struct open *o)
{
	uint64_t *v = o->tables.v;
	size_t steps = 0;

	sort_numbers(v, o->tables.n);
	for (size_t i = 0; i < o->tables.n && !BOUNDS_POLL(steps); i++) {
		size_t next = i + 1;

		while (next < o->tables.n && v[next] == v[i])
			next++;
		mark_table(o, v[i], next < o->tables.n ? v[next] : UINT64_MAX);
		i = next - 1;
	}
}

static void
mark_rela(const struct open *o, const uint8_t *bytes, size_t len)
{
	size_t steps = 0;

	for (size_t i = 0; i + sizeof(Elf64_Rela) <= len && !BOUNDS_POLL(steps);
	     i += sizeof(Elf64_Rela)) {
		Elf64_Rela r;

		memcpy(&r, bytes + i, sizeof(r));
		if (ELF64_R_TYPE(r.r_info) == R_X86_64_RELATIVE ||
		    ELF64_R_TYPE(r.r_info) == R_X86_64_IRELATIVE)
			mark(o, (uint64_t)r.r_addend, MARK_TARGET);
	}
}

static void
mark_word(const struct open *o, uint64_t at)
{
	const uint8_t *bytes = bytes_at(o, at, 8);
	uint64_t value;

	if (bytes == NULL)
		return;
	memcpy(&value, bytes, sizeof(value));
	mark(o, value, MARK_TARGET);
}

/*
 * RELR words: an address, or a bitmap of the 63 words behind the last one
 * (gABI, "Relative Relocations").
 */
static void
mark_relr(const struct open *o, const uint8_t *bytes, size_t len)
{
	uint64_t where = 0, entry;
	size_t steps = 0;

	for (size_t i = 0; i + 8 <= len && !BOUNDS_POLL(steps); i += 8) {
		memcpy(&entry, bytes + i, sizeof(entry));
		if ((entry & 1) == 0) {
			mark_word(o, entry);
			where = entry + 8;
			continue;
		}
		for (unsigned bit = 1; bit < 64; bit++) {
			if (entry >> bit & 1)
				mark_word(o, where + 8 * (bit - 1));
		}
		where += 63 * 8;
	}
}

/* Sections may overlap, so read no more relocations than the file has bytes. */
static bool
mark_relocations(const struct open *o)
{
	uint64_t rest = o->loaded;

	for (size_t i = 0; i < elf_syms_nsects(o->es); i++) {
		const struct elf_sect *s = elf_syms_sect(o->es, i);
		const uint8_t *bytes = s == NULL || s->vaddr == 0 ?
		    NULL :
		    bytes_at(o, s->vaddr, s->size);

		if (bytes == NULL ||
		    (s->type != SHT_RELA && s->type != SHT_RELR))
			continue;
		if (s->size > rest) {
			err_set(o->err, -EINVAL, "its relocations overlap");
			return false;
		}
		rest -= s->size;
		if (s->type == SHT_RELA)
			mark_rela(o, bytes, s->size);
		else
			mark_relr(o, bytes, s->size);
	}
	return true;
}

static void
mark_words(const struct open *o, uint64_t vaddr, size_t len)
{
	size_t steps = 0;

	for (uint64_t at = (vaddr + 7) & ~7ULL;
	     at - vaddr + 8 <= len && !BOUNDS_POLL(steps); at += 8)
		mark_word(o, at);
}

/* For fixed addresses, which have no relocations left. */
static void
mark_all_words(const struct open *o)
{
	VEC_FOREACH(&o->datas, d)
		mark_words(o, d->vaddr, d->len);
	VEC_FOREACH(&o->m->texts, t)
		mark_words(o, t->vaddr, t->len);
}

/* ---- functions that are not understood ---------------------------------- */

static bool
is_function(const struct ip_text *t, size_t off)
{
	return (t->marks[off] & (MARK_FUNC | MARK_LABEL)) == MARK_FUNC;
}

static void
find_starts(struct open *o)
{
	size_t steps = 0;

	VEC_FOREACH(&o->m->texts, t) {
		VEC_PUSH(&t->starts, 0);
		for (size_t off = 1; off < t->len && !BOUNDS_POLL(steps);
		     off++) {
			if (is_function(t, off))
				BOUNDS_PUSH(&t->starts, off);
		}
	}
}

/* The number of the function that an offset is in. */
static size_t
func_number(const struct ip_text *t, size_t off)
{
	size_t lo = 0, hi = t->starts.n;

	while (hi - lo > 1) {
		size_t mid = (lo + hi) / 2;

		if (t->starts.v[mid] <= off)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

void
ip_function(const struct ip_text *t, size_t off, size_t *from, size_t *to)
{
	size_t i = func_number(t, off);

	*from = t->starts.v[i];
	*to = i + 1 < t->starts.n ? t->starts.v[i + 1] : t->len;
}

bool
ip_keeps_flags(const struct ip_text *t, size_t target)
{
	size_t from, to;

	if (t->keepers.n == 0 || target >= t->len)
		return false;
	ip_function(t, target, &from, &to);
	VEC_FOREACH(&t->keepers, k) {
		if (*k == from)
			return true;
	}
	return false;
}

/*
 * The beginning of the function that holds an address; the address itself if it
 * is not in code.
 */
static uint64_t
func_start(const struct open *o, uint64_t vaddr)
{
	const struct ip_text *t = ip_text_at(o->m, vaddr);

	return t == NULL ?
	    vaddr :
	    t->vaddr + t->starts.v[func_number(t, vaddr - t->vaddr)];
}

/*
 * A site of <sys/sdt.h> is two nops, of one byte and of four.  Computed
 * addresses of code never lead to the second one.
 */
static bool
is_second_nop(const struct ip_text *t, size_t off)
{
	static const uint8_t nops[] = { 0x90, 0x0f, 0x1f, 0x40, 0x00 };

	return off != 0 && t->len - off >= sizeof(nops) - 1 &&
	    t->marks[off - 1] & MARK_INSN &&
	    memcmp(t->bytes + off - 1, nops, sizeof(nops)) == 0;
}

/* All instructions in [from, to). */
static void
mark_range(const struct ip_text *t, size_t from, size_t to, uint8_t marks)
{
	for (size_t i = from; i < to; i++) {
		if (t->marks[i] & MARK_INSN &&
		    (marks != MARK_TARGET || !is_second_nop(t, i)))
			t->marks[i] |= marks;
	}
}

/*
 * Marks to be set on all instructions of a function: a byte for each function
 * of a text.
 */
struct wishes {
	const struct open *o;
	VEC(uint8_t *) marks; /* of each text */
};

static void
wishes_init(struct wishes *w, const struct open *o)
{
	w->o = o;
	VEC_FOREACH(&o->m->texts, t)
		VEC_PUSH(&w->marks, mem_alloc(t->starts.n));
}

static void
wish(struct wishes *w, uint64_t vaddr, uint8_t marks)
{
	const struct ip_text *t = ip_text_at(w->o->m, vaddr);

	if (t != NULL)
		w->marks.v[t - w->o->m->texts.v]
			  [func_number(t, vaddr - t->vaddr)] |= marks;
}

/* Mark each function once, however many wishes it has. */
static void
grant(struct wishes *w)
{
	size_t steps = 0;

	for (size_t i = 0; i < w->marks.n; i++) {
		const struct ip_text *t = &w->o->m->texts.v[i];

		for (size_t k = 0; k < t->starts.n && !BOUNDS_POLL(steps);
		     k++) {
			size_t from, to;

			ip_function(t, t->starts.v[k], &from, &to);
			if (w->marks.v[i][k] & MARK_TARGET)
				mark_range(t, from, to, MARK_TARGET);
			if (w->marks.v[i][k] & MARK_STD)
				mark_range(t, from, to, MARK_STD);
		}
		free(w->marks.v[i]);
	}
	VEC_FREE(&w->marks);
}

/* Beginnings of the functions that jump through registers; sorted. */
static void
find_jumpers(struct open *o)
{
	VEC_FOREACH(&o->far_jumps, j)
		*j = func_start(o, *j);
	sort_numbers(o->far_jumps.v, o->far_jumps.n);
}

static bool
is_jumper(const struct open *o, uint64_t func)
{
	return o->far_jumps.n != 0 &&
	    bsearch(&func, o->far_jumps.v, o->far_jumps.n,
		sizeof(*o->far_jumps.v), compare) != NULL;
}

/*
 * Mark all of a function if its middle has a computed address, and it jumps
 * through a register or the function that computed the address does.
 */
static void
wish_computed(const struct open *o, struct wishes *w)
{
	size_t steps = 0;

	VEC_FOREACH(&o->addresses, a) {
		uint64_t start = func_start(o, a->to);

		if (BOUNDS_POLL(steps))
			return;

		if (start != a->to &&
		    (is_jumper(o, start) ||
			is_jumper(o, func_start(o, a->from))))
			wish(w, start, MARK_TARGET);
	}
}

static void
mark_unknown(struct open *o, const struct unw_places *places)
{
	struct wishes w = { 0 };

	find_starts(o);
	find_jumpers(o);
	wishes_init(&w, o);
	wish_computed(o, &w);
	VEC_FOREACH(&places->unknown, u)
		wish(&w, u->vaddr, MARK_TARGET);
	VEC_FOREACH(&o->stds, s)
		wish(&w, *s, MARK_STD);
	grant(&w);
}

bool
inproc_function_at(const struct inproc_module *m, uint64_t vaddr,
    uint64_t *func, uint64_t *size)
{
	const struct ip_text *t = ip_text_at(m, vaddr);
	size_t from, to;

	if (t == NULL)
		return false;
	ip_function(t, vaddr - t->vaddr, &from, &to);
	*func = t->vaddr + from;
	*size = to - from;
	return true;
}

/* ---- opening ------------------------------------------------------------ */

static bool
find_named(const struct elf_syms *es, const char *part)
{
	for (size_t i = 1; i < elf_syms_nsects(es); i++) {
		const struct elf_sect *sect = elf_syms_sect(es, i);

		if (sect != NULL && strstr(sect->name, part) != NULL)
			return true;
	}
	return false;
}

/*
 * The Go linker writes a table of functions by that name, also for stripped
 * programs.
 */
bool
inproc_file_is_go(const struct elf_syms *es)
{
	return find_named(es, "gopclntab");
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
	if (inproc_file_is_go(es) && find_named(es, ".interp"))
		return "it is written in Go and linked with a C library, and "
		       "stacks of Go have no room for probes; use -x "
		       "substrate=kernel";
	return NULL;
}

/*
 * A new thread of Go shares its creator's words (gostack.c) in code that is
 * known only by name: does the file have the name?
 */
static bool
knows_beginning(const struct open *o)
{
	static const char clone[] = "runtime.clone";

	for (size_t i = 0; i < elf_syms_count(o->es); i++) {
		if (strncmp(elf_sym_name(o->es, elf_syms_get(o->es, i)), clone,
			sizeof(clone) - 1) == 0)
			return true;
	}
	return false;
}

static bool
examine(struct open *o)
{
	struct unw_places places = { 0 };
	bool is_ok;

	if (find_section(o, "__rseq_cs") != NULL) {
		err_set(o->err, -EINVAL,
		    "it has restartable sequences, which cannot be moved");
		return false;
	}
	if (o->m->is_go && !knows_beginning(o)) {
		err_set(o->err, -EINVAL,
		    "it is written in Go and has no symbols, so where threads begin is not known");
		return false;
	}
	is_ok = load(o);
	if (is_ok) {
		mark_symbols(o);
		is_ok = mark_places(o, &places);
	}
	is_ok = is_ok && decode(o) && mark_relocations(o);
	if (is_ok) {
		mark_tables(o);
		if (elf_syms_is_fixed(o->es))
			mark_all_words(o);
		mark_unknown(o, &places);
	}
	unw_places_fini(&places);
	return is_ok;
}

static void
open_fini(struct open *o)
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
	struct open o = { .fd = fd, .es = es, .err = err };
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

/* ---- functions of Go ----------------------------------------------------- */

bool
inproc_is_go(const struct inproc_module *m)
{
	return m->is_go;
}

/*
 * The offset behind `bytes` at the beginning of a function's code; 0: other
 * bytes are there.
 */
static size_t
match_bytes(const struct ip_text *t, size_t off, const void *bytes, size_t n,
    size_t len)
{
	return off != 0 && off + len < t->len &&
		memcmp(t->bytes + off, bytes, n) == 0 ?
	    off + len :
	    0;
}

/*
 * "cmp 0x10(%r14),%rsp; jbe" checks %rsp against the limit in the goroutine's
 * structure (cmd/internal/obj/x86, stacksplit()).  With a larger frame "lea
 * -size(%rsp),%r12" comes first, and %r12 is compared.
 */
uint64_t
inproc_behind_check(const struct inproc_module *m, uint64_t vaddr)
{
	const struct ip_text *t = ip_text_at(m, vaddr);
	size_t off, at;

	if (!m->is_go || t == NULL || vaddr == t->vaddr)
		return vaddr;
	off = vaddr - t->vaddr;
	at = match_bytes(t, off, "\x49\x3b\x66\x10", 4, 4);
	if (at == 0) {
		at = match_bytes(t, off, "\x4c\x8d\x64\x24", 4, 5);
		if (at == 0)
			at = match_bytes(t, off, "\x4c\x8d\xa4\x24", 4, 8);
		at = match_bytes(t, at, "\x4d\x3b\x66\x10", 4, 4);
	}
	off = match_bytes(t, at, "\x76", 1, 2);
	if (off == 0)
		off = match_bytes(t, at, "\x0f\x86", 2, 6);
	return off != 0 ? t->vaddr + off : vaddr;
}
