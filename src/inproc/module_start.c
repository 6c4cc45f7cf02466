/* SPDX-License-Identifier: BSD-2-Clause */
/* The starts of functions, and code that must stay in place. */
#include <elf.h>
#include <string.h>

#include "base/bounds.h"
#include "base/err.h"
#include "base/vec.h"
#include "inproc/module.h"
#include "inproc/module_impl.h"
#include "sym/elf_syms.h"
#include "unwind/unwind.h"

#define FUNC_ALIGN 16 /* of functions, by compilers' defaults */

static struct unw_bytes
section_bytes(const struct ip_open *o, const char *name)
{
	const struct elf_sect *s = ip_find_section(o, name);
	struct unw_bytes b = { (const uint8_t *)"", 0, 0 };

	if (s == NULL || s->type == SHT_NOBITS)
		return b;
	b.data = ip_bytes_at(o, s->vaddr, s->size);
	b.len = b.data != NULL ? s->size : 0;
	b.vaddr = s->vaddr;
	return b;
}

/* Does another source confirm a start that an FDE has? */
static bool
is_proved(const struct ip_open *o, uint64_t vaddr)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const struct ip_text *t = ip_text_at(o->m, vaddr);
	const uint8_t *bytes = ip_bytes_at(o, vaddr, sizeof(endbr64));

	return vaddr % FUNC_ALIGN == 0 ||
	    (t != NULL && t->marks[vaddr - t->vaddr] & MARK_FUNC) ||
	    (bytes != NULL && memcmp(bytes, endbr64, sizeof(endbr64)) == 0);
}

static void
mark_fde_starts(struct ip_open *o, const struct unw_places *places)
{
	VEC_FOREACH(&places->starts, s) {
		if (!is_proved(o, *s))
			BOUNDS_PUSH(&o->claims, *s);
		ip_mark_start(o, *s);
	}
	ip_sort_numbers(o->claims.v, o->claims.n);
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
pin_sigreturns_in(const struct ip_open *o, struct ip_text *t)
{
	for (size_t i = 0; i < NSIGRETURNS; i++) {
		const uint8_t *at = t->bytes, *end = t->bytes + t->len;

		while (
		    (at = find_sigreturn(at, (size_t)(end - at), i)) != NULL) {
			size_t off = (size_t)(at++ - t->bytes);

			ip_mark_start(o, t->vaddr + off);
			BOUNDS_PUSH(&t->bad, off);
		}
	}
}

static bool
has_sigreturn(const struct ip_open *o, const struct unw_seg *code)
{
	const uint8_t *bytes = ip_bytes_at(o, code->vaddr, code->size);
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
pin_sigreturns(const struct ip_open *o, const struct unw_places *places)
{
	VEC_FOREACH(&o->m->texts, t)
		pin_sigreturns_in(o, t);
	VEC_FOREACH(&places->signals, s) {
		struct ip_text *t = ip_text_at(o->m, s->vaddr);

		if (t != NULL && !has_sigreturn(o, s))
			BOUNDS_PUSH(&t->bad, s->vaddr - t->vaddr);
	}
}

bool
ip_mark_places(struct ip_open *o, struct unw_places *places)
{
	struct unw_bytes eh = section_bytes(o, ".eh_frame");
	struct unw_bytes lsda = section_bytes(o, ".gcc_except_table");

	if (unw_places(&eh, &lsda, places, o->err) != 0)
		return false;
	pin_sigreturns(o, places);
	mark_fde_starts(o, places);
	VEC_FOREACH(&places->pads, p)
		ip_mark(o, *p, MARK_TARGET);
	return true;
}

/*
 * Do not displace code that a signal handler recognises by its address: the
 * handler for cancellation asks whether the thread was there, about to enter
 * the kernel (musl, and glibc since 2.41).
 */
static void
pin_code(const struct ip_open *o, const struct elf_sym *sym)
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

void
ip_mark_symbols(const struct ip_open *o)
{
	size_t steps = 0;

	for (size_t i = 0; i < elf_syms_count(o->es) && !BOUNDS_POLL(steps);
	     i++) {
		const struct elf_sym *sym = elf_syms_get(o->es, i);

		if (sym->kind == ELF_SYM_LABEL)
			ip_mark(o, sym->value,
			    MARK_FUNC | MARK_TARGET | MARK_LABEL);
	}
	for (size_t i = 0; i < elf_syms_count(o->es) && !BOUNDS_POLL(steps);
	     i++) {
		const struct elf_sym *sym = elf_syms_get(o->es, i);

		if (elf_sym_is_code(sym) && sym->kind != ELF_SYM_LABEL)
			ip_mark_start(o, sym->value);
		pin_code(o, sym);
	}
	ip_mark_start(o, elf_syms_entry(o->es));
}
