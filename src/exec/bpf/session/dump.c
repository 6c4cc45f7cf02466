/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --dump=bpf: the instructions of all programs, each with its D text.
 */
#include "exec/bpf/bpf_impl.h"

#include "base/str.h"
#include "base/vec.h"
#include "exec/source_place.h"

struct dump_arg {
	const struct bx_exec *x;
	const struct bx_asm *a;
	size_t next;
	struct strbuf line;
};

/* The D text of the code that begins at instruction `insn`. */
static const char *
dump_note(void *arg, uint32_t insn)
{
	struct dump_arg *d = arg;

	strbuf_reset(&d->line);
	for (; d->next < d->a->notes.n && d->a->notes.v[d->next].insn <= insn;
	     d->next++) {
		const struct bx_note *n = &d->a->notes.v[d->next];

		if (d->line.len != 0)
			strbuf_addc(&d->line, '\n');
		exec_place_note(&d->line, d->x->diags, n->span, n->text);
	}
	return d->line.len ? d->line.s : NULL;
}

static void
dump_image(const struct bx_exec *x, const struct bl_image *image,
    const struct bx_asm *a, struct strbuf *out)
{
	struct dump_arg d = { .x = x, .a = a };

	VEC_FOREACH(&a->relocs, r)
		strbuf_printf(out, "  relocation: %u %s\n", r->insn, r->sym);
	bl_dump(image, dump_note, &d, out);
	strbuf_fini(&d.line);
}

static void
dump_group(
    const struct bx_exec *x, const struct bx_group *g, struct strbuf *out)
{
	strbuf_printf(out,
	    "BPF program for %s: %zu probes, %zu clauses, "
	    "%zu instructions\n",
	    g->tr.name, g->tr.facts->probes.n, g->tr.facts->clauses.n,
	    g->image.insns.n);
	dump_image(x, &g->image, &g->tr.a, out);
	for (size_t i = 0; g->parts != NULL && i < g->tr.parts.list.n; i++) {
		strbuf_printf(out, "part %zu: %zu instructions\n", i,
		    g->parts[i].insns.n);
		dump_image(x, &g->parts[i], &g->tr.parts.list.v[i].a, out);
	}
}

void
bx_dump(struct dt_exec *e, struct strbuf *out)
{
	struct bx_exec *x = bx_of(e);

	for (size_t i = 0; i < x->ngroups; i++)
		dump_group(x, &x->groups[i], out);
	if (x->vtime.progs.n != 0)
		dump_group(x, &x->vtime, out);
}
