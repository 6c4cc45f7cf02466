/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Find a module's SYSCALL instructions, and which call each of them makes.
 *
 * Compilers set the number close before: "mov $39,%eax; syscall".  So search
 * backwards for the instruction that uses %rax, through instructions that are
 * not targets.  A number from elsewhere is known only when the SYSCALL runs.
 */
#include <string.h>

#include "base/vec.h"
#include "inproc/module.h"
#include "x86/form.h"

#define BACK_MAX 24 /* instructions */
#define ANY (-1)
#define RT_SIGRETURN 15 /* arch/x86/entry/syscalls/syscall_64.tbl */

static const uint8_t syscall_bytes[INPROC_SYSCALL_LEN] = { 0x0f, 0x05 };

/* mov $imm32,%eax; mov $imm32,%rax; xor %eax,%eax (Intel SDM, volume 2) */
static int32_t
loaded_number(const uint8_t *bytes, size_t len)
{
	int32_t nr = ANY;

	if (len == 2 && bytes[0] == 0x31 && bytes[1] == 0xc0)
		nr = 0;
	else if (len == 5 && bytes[0] == 0xb8)
		memcpy(&nr, bytes + 1, sizeof(nr));
	else if (len == 7 && memcmp(bytes, "\x48\xc7\xc0", 3) == 0)
		memcpy(&nr, bytes + 3, sizeof(nr));
	return nr >= 0 ? nr : ANY;
}

/*
 * May the search pass over the instruction: it falls through and does not use
 * %rax?
 */
static bool
is_aside(const struct x86_form *form)
{
	return (form->insn.kind == X86_PLAIN || form->insn.kind == X86_NOP ||
		   form->insn.kind == X86_PUSH) &&
	    !form->is_syscall && !(form->uses >> X86_AX & 1);
}

static int32_t
number_at(const struct ip_text *t, size_t off)
{
	const struct x86_code code = { t->bytes, t->len, false };
	struct x86_form form;

	for (unsigned i = 0; i < BACK_MAX; i++) {
		size_t before = ip_previous(t, off);

		if (before == off || t->marks[off] & MARK_TARGET ||
		    !x86_form(&code, before, &form))
			return ANY;
		if (!is_aside(&form))
			return loaded_number(t->bytes + before, form.insn.len);
		off = before;
	}
	return ANY;
}

/*
 * glibc (since 2.41) and musl make cancellable calls at one place, by the same
 * instructions; the last one is `mov %r11,8(%rsp)`.  Stripped libraries have no
 * other sign of it.
 */
static bool
is_cancellable(const struct ip_text *t, size_t off)
{
	static const uint8_t before[] = { 0x4c, 0x89, 0x5c, 0x24, 0x08 };

	return off >= sizeof(before) &&
	    memcmp(t->bytes + off - sizeof(before), before, sizeof(before)) ==
	    0;
}

bool
ip_is_call(const struct ip_text *t, size_t off)
{
	return off < t->len && t->len - off >= INPROC_SYSCALL_LEN &&
	    memcmp(t->bytes + off, syscall_bytes, INPROC_SYSCALL_LEN) == 0;
}

static void
add_syscall(const struct ip_text *t, size_t off, struct inproc_syscalls *out)
{
	size_t next = off + INPROC_SYSCALL_LEN;
	struct inproc_syscall s = { .vaddr = t->vaddr + off,
		.nr = number_at(t, off) };

	if (s.nr == RT_SIGRETURN)
		return;
	s.has_next = next < t->len && t->marks[next] & MARK_INSN;
	if (s.has_next && t->marks[next] & MARK_TARGET)
		s.nr = ANY;
	s.is_cancellable = s.nr == ANY && is_cancellable(t, off);
	VEC_PUSH(&out->v, s);
}

static void
find_in(const struct ip_text *t, struct inproc_syscalls *out)
{
	const uint8_t *at = t->bytes, *end = at + t->len;

	while ((at = memmem(at, (size_t)(end - at), syscall_bytes,
		    INPROC_SYSCALL_LEN)) != NULL) {
		size_t off = (size_t)(at++ - t->bytes);

		if (t->marks[off] & MARK_INSN)
			add_syscall(t, off, out);
	}
}

void
inproc_find_syscalls(const struct inproc_module *m, struct inproc_syscalls *out)
{
	VEC_FOREACH(&m->texts, t) {
		find_in(t, out);
		VEC_FOREACH(&t->doubtful_calls, off)
			add_syscall(t, *off, out);
	}
}
