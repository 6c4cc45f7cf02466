/* SPDX-License-Identifier: BSD-2-Clause */
/* Modules that are written in Go. */
#include <string.h>

#include "inproc/module.h"
#include "inproc/module_impl.h"
#include "sym/elf_syms.h"

/*
 * The Go linker writes a table of functions by that name, also for stripped
 * programs.
 */
bool
inproc_file_is_go(const struct elf_syms *es)
{
	return ip_has_section_like(es, "gopclntab");
}

bool
ip_knows_beginning(const struct ip_open *o)
{
	static const char clone[] = "runtime.clone";

	for (size_t i = 0; i < elf_syms_count(o->es); i++) {
		if (strncmp(elf_sym_name(o->es, elf_syms_get(o->es, i)), clone,
			sizeof(clone) - 1) == 0)
			return true;
	}
	return false;
}

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
