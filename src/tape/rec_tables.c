/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of a recording that is being made: from the plan. */
#include "tape/tape_impl.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/idmap.h"
#include "base/mem.h"
#include "consume/consume.h"
#include "sym/elf_note.h"

static void
put_machine(struct tape_recorder *t)
{
	const struct consume_run *about = t->run.about;
	char build_id[ELF_BUILD_ID_TEXT];
	struct utsname u;
	struct record_machine m = { .dtrace = about->product,
		.host = about->host,
		.release = about->kernel,
		.arch = u.machine,
		.command = t->run.command,
		.ncpus = t->x.ncpus,
		.is_in_process = t->ops.is_in_process,
		.target = t->run.target,
		.time_ns = about->start_ns,
		.wall_ns = about->wall_ns };

	uname(&u);
	record_put_machine(t->w, &m);
	elf_build_id_of_kernel("vmlinux", build_id);
	tape_note_kernel_file(t, "vmlinux", build_id);
}

static void
put_label(struct tape_recorder *t, const char *text)
{
	const char *eq = strchr(text, '=');
	char *name = mem_strndup(text, (size_t)(eq - text));

	record_put_label(t->w, &(struct record_label){ name, eq + 1 });
	free(name);
}

/* ---- probes ------------------------------------------------------------- */

static void
put_probe(struct tape_recorder *t, uint32_t n, const struct dt_probe *p)
{
	struct dt_argdesc args[DT_NARGS_MAX];
	struct record_arg to[DT_NARGS_MAX];
	struct record_probe rp = { .id = p->id,
		.kind = (uint16_t)p->kind,
		.prov = p->prov,
		.mod = p->mod,
		.func = p->func,
		.name = p->name,
		.args = to };

	/* a probe of a fleet's host has no provider on this machine */
	if (p->ops != NULL)
		rp.nargs = (uint32_t)dt_probe_args(p, args);
	for (uint32_t i = 0; i < rp.nargs; i++)
		to[i] = (struct record_arg){ args[i].native, args[i].xlate,
			args[i].mapping, args[i].is_userland };
	record_put_probe(t->w, n, &rp);
}

/* The probe's number, which it gets if it has none. */
static uint32_t
probe_number(struct tape_recorder *t, const struct dt_probe *p)
{
	/* ids of a fleet's hosts are each host's own, and hostile */
	bool is_ours = p->ops != NULL;
	const uint32_t *known = is_ours ? idmap_get(&t->numbers, p->id) : NULL;

	if (known != NULL)
		return *known;
	if (is_ours)
		idmap_put(&t->numbers, p->id, t->nprobes);
	put_probe(t, t->nprobes, p);
	return t->nprobes++;
}

static void
put_enabling(struct tape_recorder *t, uint32_t epid, uint32_t clause,
    const struct dt_probe *p)
{
	struct record_enabling e = { clause, probe_number(t, p) };

	record_put_enabling(t->w, epid, &e);
}

/* ---- the plan ----------------------------------------------------------- */

static void
put_clause(struct tape_recorder *t, uint32_t n)
{
	const struct plan_clause *pc = &t->run.pl->clauses.v[n];
	struct record_clause c = { pc->size, pc->epid_base,
		(uint32_t)pc->probes.n };

	record_put_clause(t->w, n, &c);
	for (uint32_t i = 0; i < pc->probes.n; i++)
		put_enabling(t, pc->epid_base + i, n, pc->probes.v[i]);
}

static void
put_agg(struct tape_recorder *t, uint32_t n)
{
	const struct plan_agg *pa = &t->run.pl->aggs.v[n];
	const struct consume_run *about = t->run.about;
	struct record_agg a = { .name = pa->agg->name,
		.remark = n < about->nremarks ? about->remarks[n] : NULL,
		.kind = pa->agg->kind,
		.arg = pa->agg->arg,
		.key_size = pa->key_size,
		.val_size = pa->val_size };

	record_put_agg(t->w, n + 1, &a);
}

void
tape_put_start(struct tape_recorder *t)
{
	const struct plan *pl = t->run.pl;

	put_machine(t);
	for (size_t i = 0; i < t->run.nlabels; i++)
		put_label(t, t->run.labels[i]);
	for (size_t i = 0; i < t->run.about->nsources; i++) {
		const struct consume_source *s = &t->run.about->sources[i];

		record_put_source(t->w,
		    &(struct record_program_source){
			s->name, s->text, s->nprobes });
	}
	for (uint32_t i = 0; i < pl->clauses.n; i++)
		put_clause(t, i);
	for (uint32_t i = 0; i < pl->aggs.n; i++) {
		if (pl->aggs.v[i].agg != NULL)
			put_agg(t, i);
	}
	tape_put_new(t);
	if (t->run.target > 0)
		tape_note_process(t, (uint64_t)t->run.target);
	/* the program is a block of its own, behind these tables */
	record_put_program(t->w, t->run.dof, t->run.dof_len);
}

void
tape_put_new(struct tape_recorder *t)
{
	const struct plan *pl = t->run.pl;

	for (; t->nlate < pl->late.n; t->nlate++)
		put_enabling(t, pl->late_base + t->nlate,
		    pl->late.v[t->nlate].clause, pl->late.v[t->nlate].probe);
	for (; t->nstrings < pl->strs->strs.n; t->nstrings++)
		record_put_string(t->w, t->nstrings + 1,
		    strtab_str(pl->strs, t->nstrings + 1));
}
