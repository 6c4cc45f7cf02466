/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --dump=x86: the bodies of probes, with the D text and the DIF that each part
 * is for.  Addresses are offsets in the region.
 */
#include "exec/process/impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "exec/jit/blob.h"
#include "exec/source_place.h"
#include "x86/insn.h"

/* The runtime's function at an offset, or NULL. */
static const char *
function_name(uint64_t off)
{
	for (uint32_t i = 0; i < rt_blob_nfuncs; i++) {
		if (rt_blob_funcs[i].off == off)
			return rt_blob_funcs[i].name;
	}
	return NULL;
}

static void
dump_dif(const struct dif_obj *dp, struct strbuf *out)
{
	struct strbuf text = { 0 };
	char *rest, *line;

	dif_dump(dp, &text);
	for (line = strtok_r(text.s, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest))
		strbuf_printf(out, ";\t%s\n", line);
	strbuf_fini(&text);
}

static void
dump_note(const struct pr_exec *x, const struct pr_note *n, struct strbuf *out)
{
	if (n->difo != NULL) {
		dump_dif(n->difo, out);
		return;
	}
	exec_place_note(out, x->diags, n->span, n->text);
	strbuf_addc(out, '\n');
}

/* Print one instruction.  Returns its length. */
static size_t
dump_insn(const struct x86_code *code, size_t off, struct strbuf *out)
{
	struct x86_insn insn;
	const char *name = NULL;
	char text[128];
	size_t len = x86_format(code, off, text, sizeof(text));

	if (len == 0) {
		strbuf_printf(
		    out, "%8zx:\t(byte) %02x\n", off, code->bytes[off]);
		return 1;
	}
	if (x86_decode(code, off, &insn) && insn.kind == X86_CALL)
		name = function_name(insn.target);
	strbuf_printf(out, "%8zx:\t%s%s%s\n", off, text,
	    name != NULL ? "\t; " : "", name != NULL ? name : "");
	return len;
}

static void
dump_region(const struct pr_exec *x, struct strbuf *out)
{
	const struct x86_code code = { .bytes = x->base,
		.len = x->text_off + x_here(&x->a) };
	size_t next = 0;

	for (size_t off = x->text_off; off < code.len;) {
		for (; next < x->notes.n && x->notes.v[next].off <= off; next++)
			dump_note(x, &x->notes.v[next], out);
		off += dump_insn(&code, off, out);
	}
}

void
pr_dump(struct dt_exec *e, struct strbuf *out)
{
	struct pr_exec *x = pr_of(e);
	struct err err = { 0 };

	if (x86_init(&err) != 0) {
		strbuf_printf(
		    out, "machine code cannot be shown: %s\n", err_text(&err));
		err_clear(&err);
		return;
	}
	strbuf_printf(out, "machine code of %zu bodies: %u bytes\n",
	    x->bodies.n, x_here(&x->a));
	dump_region(x, out);
}
