/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decode a range of code with Capstone, and note a fact about each byte.
 *
 * decode.py calls this through ctypes: a loop in Python over each instruction
 * takes ten times as long.  Capstone's function is passed in, and the layout
 * of its struct cs_insn with it, so that its headers are not needed.
 *
 * Nothing here is shared with the decoder that is tested.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Facts about an instruction, above its length in the low four bits. */
enum { RIP = 16, BRANCH = 32, CALL = 64, LEAVES = 128 };

/* Why an address may be a target; plan_check.py has more reasons. */
enum { T_BRANCH = 1, T_RETURN = 2 };

/* Classes of instructions; decode.py maps Capstone's ids to them. */
enum { IS_CALL = 1, IS_JUMP, IS_END, IS_BRANCH };

enum { EVEX = 0x62 };

typedef bool iter_f(size_t handle, const uint8_t **code, size_t *size,
    uint64_t *addr, void *insn);

struct capstone {
	iter_f *iter;
	size_t handle;
	uint8_t *insn;	     /* struct cs_insn */
	uint64_t operands;   /* offset of its op_str */
	const uint8_t *kind; /* by id */
	uint64_t nkinds;
};

/* An address that an instruction holds, other than a marked target. */
struct ref {
	uint64_t source, target;
	uint64_t is_branch;
};

struct sweep {
	const uint8_t *data;
	uint8_t *info, *targets;
	uint64_t vaddr, len;
	uint64_t start, stop; /* the range of the function */
	uint64_t known;	      /* the known end of the function, or its start */
	uint64_t trusted;     /* 1: branches may lead out of the range */
	uint64_t agreed;      /* an EVEX prefix here was looked at */
	uint64_t lo, hi;      /* addresses that absolute operands may have */
	struct ref *refs;
	uint64_t nrefs, max_refs;
};

__attribute__((visibility("default"))) int sweep(
    const struct capstone *cs, struct sweep *s, uint64_t *at);

static void
add_ref(struct sweep *s, uint64_t source, uint64_t target, bool is_branch)
{
	s->refs[s->nrefs++] = (struct ref){ source, target, is_branch };
}

/*
 * Note a branch.  Behind the known end of a function are constants and texts,
 * in which "ss" is a JAE: there, a branch counts only within its own range.
 */
static void
note_branch(struct sweep *s, uint64_t source, uint64_t target)
{
	bool is_inside = target >= s->start && target < s->stop;

	if (!is_inside &&
	    (!s->trusted || (source >= s->known && s->known != s->start)))
		return;
	if (target - s->vaddr < s->len)
		s->targets[target - s->vaddr] |= T_BRANCH;
	if (!is_inside)
		add_ref(s, source, target, true);
}

/* Note the addresses in the operands that are no branch targets. */
static uint8_t
note_operands(struct sweep *s, uint64_t addr, unsigned length, const char *text)
{
	const char *rip = strstr(text, "[rip ");
	const char *p = text;
	char *end;

	if (rip != NULL) {
		uint64_t disp = strtoull(rip + 7, &end, 0);

		add_ref(s, addr, addr + length + (rip[5] == '-' ? -disp : disp),
		    false);
		return RIP;
	}
	while (s->hi != 0 && (p = strstr(p, "0x")) != NULL) {
		uint64_t value = strtoull(p, &end, 16);

		if (value >= s->lo && value < s->hi)
			add_ref(s, addr, value, false);
		p = end;
	}
	return strstr(text, "rip") != NULL ? RIP : 0;
}

static uint8_t
note_flow(
    struct sweep *s, uint64_t addr, unsigned length, int kind, const char *text)
{
	uint8_t info = 0;

	if (strncmp(text, "0x", 2) == 0 && kind != IS_END) {
		info = BRANCH;
		note_branch(s, addr, strtoull(text, NULL, 16));
	}
	if (kind == IS_CALL) {
		s->targets[addr - s->vaddr + length] |= T_RETURN;
		return info | CALL;
	}
	return kind == IS_BRANCH ? info : info | LEAVES;
}

static void
note(const struct capstone *cs, struct sweep *s, uint64_t addr, unsigned length)
{
	const char *text = (const char *)cs->insn + cs->operands;
	uint32_t id;
	int kind;
	uint8_t info = (uint8_t)length;

	memcpy(&id, cs->insn, sizeof(id));
	kind = id < cs->nkinds ? cs->kind[id] : 0;
	if (kind != 0)
		info |= note_flow(s, addr, length, kind, text);
	if ((info & BRANCH) == 0)
		info |= note_operands(s, addr, length, text);
	s->info[addr - s->vaddr] = info;
}

/*
 * Decode from *at to the end of the range; an instruction may reach over it.
 *
 * Returns 0 at the end, 1 where Capstone cannot decode, 2 where another
 * decoder must agree about an EVEX prefix, and 3 if refs[] must be emptied.
 */
int
sweep(const struct capstone *cs, struct sweep *s, uint64_t *at)
{
	uint64_t limit = s->vaddr + s->len, addr = *at;

	while (addr < s->stop) {
		const uint8_t *code = s->data + (addr - s->vaddr);
		size_t left = limit - addr < 15 ? limit - addr : 15;
		uint64_t next = addr;

		*at = addr;
		if (s->nrefs + 4 > s->max_refs)
			return 3;
		if (*code == EVEX && s->agreed != addr)
			return 2;
		if (!cs->iter(cs->handle, &code, &left, &next, cs->insn))
			return 1;
		note(cs, s, addr, (unsigned)(next - addr));
		addr = next;
	}
	*at = addr;
	return 0;
}
