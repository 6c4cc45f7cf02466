/* SPDX-License-Identifier: BSD-2-Clause */
#include "usdt/stubs.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"

#define NOTE_NAME "stapsdt"
#define NOTE_TYPE 3
#define STUB_ALIGN 16

void
usdt_stub_name(const struct usdt_stub *s, struct strbuf *out)
{
	strbuf_printf(out, "%s%s___",
	    s->asks != USDT_ASKS_NOT ? USDT_ASK : USDT_CALL, s->provider->name);
	usdt_c_name(s->probe->name, out);
}

/*
 * The site is that of include/dtrace/usdt.h.  The operand of "movzwl SEMAPHORE,
 * %eax" is relative to %rip, or on i386 to the return address of a call to the
 * next instruction.
 */
static const struct machine {
	const char *site, *asks, *cie;
	const char *stores; /* MOV %eax, to where the argument points */
	uint8_t site_len, asks_len;
	uint8_t asks_at; /* offset of the operand in `asks` */
	int8_t asks_addend;
	uint8_t addr_size;
} machines[] = {
	[USDT_CLASS_32] = { "\x90\x8d\x74\x26\x00\xc3",
	    "\xe8\0\0\0\0\x58\x0f\xb7\x80\0\0\0\0",
	    "\x14\0\0\0\0\0\0\0\x01zR\0\x01\x7c\x08\x01\x1b\x0c\x04\x04\x88"
	    "\x01\0\0",
	    NULL, 6, 13, 9, 4, 4 },
	[USDT_CLASS_64] = { "\x90\x0f\x1f\x40\x00\xc3", "\x0f\xb7\x05\0\0\0\0",
	    "\x14\0\0\0\0\0\0\0\x01zR\0\x01\x78\x10\x01\x1b\x0c\x07\x08\x90"
	    "\x01\0\0",
	    "\x89\x07", 6, 7, 3, -4, 8 },
};
#define CIE_LEN 24 /* LSB Core, "Exception Frames" */

static void
add_word(struct usdt_part *part, uint32_t word)
{
	strbuf_add(&part->bytes, &word, sizeof(word));
}

/* A field that the linker sets. */
static void
add_reloc(struct usdt_part *part, struct usdt_reloc r, size_t size)
{
	uint64_t zero = 0;

	r.at = (uint32_t)part->bytes.len;
	VEC_PUSH(&part->relocs, r);
	strbuf_add(&part->bytes, &zero, size);
}

static void
pad(struct usdt_part *part, size_t align, char with)
{
	while (part->bytes.len % align != 0)
		strbuf_addc(&part->bytes, with);
}

/* The probe's number among all definitions. */
static uint32_t
probe_number(const struct usdt_defs *defs, const struct dif_provprobe *probe)
{
	uint32_t n = 0;

	VEC_FOREACH(&defs->providers, p) {
		VEC_FOREACH(&(*p)->probes, pp) {
			if (pp == probe)
				return n;
			n++;
		}
	}
	return n;
}

static void
add_strings(
    struct usdt_part *notes, const struct usdt_stub *s, enum usdt_class cls)
{
	char *args = usdt_call_args(cls, s->probe->native.n, true);
	struct strbuf *out = &notes->bytes;

	strbuf_add(out, s->provider->name, strlen(s->provider->name) + 1);
	usdt_c_name(s->probe->name, out);
	strbuf_addc(out, '\0');
	strbuf_add(out, args, strlen(args) + 1);
	free(args);
}

static void
add_note(struct usdt_code *code, const struct usdt_stub *s, uint32_t number,
    enum usdt_class cls, uint32_t at)
{
	struct usdt_part *notes = &code->notes;
	size_t begin = notes->bytes.len, size = machines[cls].addr_size, desc;
	uint32_t len;

	add_word(notes, sizeof(NOTE_NAME));
	add_word(notes, 0);
	add_word(notes, NOTE_TYPE);
	strbuf_add(&notes->bytes, NOTE_NAME, sizeof(NOTE_NAME));
	desc = notes->bytes.len;
	add_reloc(notes,
	    (struct usdt_reloc){ .kind = USDT_RELOC_ADDR,
		.ref = USDT_REF_TEXT,
		.addend = (int32_t)at },
	    size);
	add_reloc(notes,
	    (struct usdt_reloc){
		.kind = USDT_RELOC_ADDR, .ref = USDT_REF_BASE },
	    size);
	add_reloc(notes,
	    (struct usdt_reloc){ .kind = USDT_RELOC_ADDR,
		.ref = USDT_REF_SEMAPHORE,
		.number = number },
	    size);
	add_strings(notes, s, cls);
	len = (uint32_t)(notes->bytes.len - desc);
	memcpy(notes->bytes.s + begin + 4, &len, sizeof(len));
	pad(notes, 4, '\0');
}

/*
 * Mark a section as used: a linker that drops unused ones does not see the
 * references of notes.
 */
static void
keep(struct usdt_part *text, enum usdt_ref ref, uint32_t number)
{
	add_reloc(text,
	    (struct usdt_reloc){
		.kind = USDT_RELOC_NONE, .ref = ref, .number = number },
	    0);
}

static void
add_probe_stub(struct usdt_code *code, const struct usdt_stub *s,
    uint32_t number, enum usdt_class cls)
{
	struct usdt_part *text = &code->text;

	add_note(code, s, number, cls, (uint32_t)text->bytes.len);
	keep(text, USDT_REF_BASE, 0);
	keep(text, USDT_REF_SEMAPHORE, number);
	strbuf_add(&text->bytes, machines[cls].site, machines[cls].site_len);
}

static void
add_asking_stub(struct usdt_code *code, const struct usdt_stub *s,
    uint32_t number, enum usdt_class cls)
{
	const struct machine *m = &machines[cls];
	size_t rest = m->asks_at + sizeof(uint32_t);

	strbuf_add(&code->text.bytes, m->asks, m->asks_at);
	add_reloc(&code->text,
	    (struct usdt_reloc){ .kind = USDT_RELOC_PC32,
		.ref = USDT_REF_SEMAPHORE,
		.number = number,
		.addend = m->asks_addend },
	    sizeof(uint32_t));
	strbuf_add(&code->text.bytes, m->asks + rest, m->asks_len - rest);
	if (s->asks == USDT_ASKS_POINTER && m->stores != NULL)
		strbuf_adds(&code->text.bytes, m->stores);
	strbuf_addc(&code->text.bytes, '\xc3'); /* RET */
}

/* The return address is on top of the stack at every instruction. */
static void
add_frames(struct usdt_code *code, enum usdt_class cls)
{
	struct usdt_part *frames = &code->frames;

	strbuf_add(&frames->bytes, machines[cls].cie, CIE_LEN);
	add_word(frames, 20);
	add_word(frames, (uint32_t)frames->bytes.len); /* distance to the CIE */
	add_reloc(frames,
	    (struct usdt_reloc){
		.kind = USDT_RELOC_PC32, .ref = USDT_REF_TEXT },
	    sizeof(uint32_t));
	add_word(frames, (uint32_t)code->text.bytes.len);
	add_word(frames, 0); /* no augmentation; padding */
	add_word(frames, 0);
}

void
usdt_stubs_code(const struct usdt_defs *defs, const struct usdt_stubs *stubs,
    enum usdt_class cls, struct usdt_code *out)
{
	VEC_FOREACH(&stubs->v, s) {
		uint32_t number = probe_number(defs, s->probe);

		pad(&out->text, STUB_ALIGN, '\xcc');
		VEC_PUSH(&out->offsets, (uint32_t)out->text.bytes.len);
		if (s->asks != USDT_ASKS_NOT)
			add_asking_stub(out, s, number, cls);
		else
			add_probe_stub(out, s, number, cls);
	}
	if (stubs->v.n != 0)
		add_frames(out, cls);
}

static void
part_fini(struct usdt_part *part)
{
	strbuf_fini(&part->bytes);
	VEC_FREE(&part->relocs);
}

void
usdt_code_fini(struct usdt_code *code)
{
	part_fini(&code->text);
	part_fini(&code->notes);
	part_fini(&code->frames);
	VEC_FREE(&code->offsets);
}
