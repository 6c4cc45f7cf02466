/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Write a DOF image of a program that prints the results of DIF objects, one on
 * a line, in BEGIN or another probe, and ends:
 *
 *	mkdif [PROVIDER MODULE FUNCTION NAME] <TEXT >FILE
 *
 * TEXT is what dif_assemble() reads, object after object, each from its line
 * "DIFO returns ..." on.  So a test can run instructions that the compiler does
 * not emit.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "dof/dof.h"

static const char head[] = "DIFO returns";
static const char zero[] = "DIFO returns D type (integer) (size 4)\n"
			   "setx 0, %r1\nret %r1\n";

static struct dif_obj *
assemble(const char *text, size_t len)
{
	struct dif_obj *dp;
	struct err err = { 0 };

	if (dif_assemble(text, len, &dp, &err) == 0)
		return dp;
	fprintf(stderr, "mkdif: %s\n", err.text);
	exit(1);
}

static void
add_printf(struct dif_clause *cl, struct dif_obj *dp)
{
	struct dif_action act = { .kind = DT_ACT_PRINTF,
		.difo = dp,
		.group = (uint32_t)cl->actions.n,
		.is_signed = true };

	act.fmt = mem_strdup("%d\n");
	act.type_name = mem_strdup("int64_t");
	VEC_PUSH(&cl->actions, act);
}

static void
add_exit(struct dif_clause *cl)
{
	struct dif_action act = { .kind = DT_ACT_EXIT,
		.difo = assemble(zero, strlen(zero)) };

	VEC_PUSH(&cl->actions, act);
}

static void
add_objects(struct dif_clause *cl, const char *text)
{
	const char *next;

	for (text = strstr(text, head); text != NULL; text = next) {
		next = strstr(text + 1, head);
		add_printf(cl,
		    assemble(text,
			next != NULL ? (size_t)(next - text) : strlen(text)));
	}
}

static struct dif_clause
clause_at(const char *const desc[4])
{
	struct dif_clause cl = { 0 };
	struct dif_pdesc pd = { .prov = mem_strdup(desc[0]),
		.mod = mem_strdup(desc[1]),
		.func = mem_strdup(desc[2]),
		.name = mem_strdup(desc[3]) };

	VEC_PUSH(&cl.pdescs, pd);
	return cl;
}

/* A fault ends a clause, so exit() has a clause of its own. */
static struct dif_prog *
program(const char *const desc[4], const char *text)
{
	struct dif_prog *p = mem_alloc(sizeof(*p));

	VEC_PUSH(&p->clauses, clause_at(desc));
	VEC_PUSH(&p->clauses, clause_at(desc));
	add_objects(&p->clauses.v[0], text);
	add_exit(&p->clauses.v[1]);
	return p;
}

int
main(int argc, char **argv)
{
	const char *const begin[] = { "dtrace", "", "", "BEGIN" };
	struct dof_prog_opts opts = { 0 };
	struct strbuf text = { 0 }, out = { 0 };
	struct dif_prog *p;
	int c;

	while ((c = getchar()) != EOF)
		strbuf_addc(&text, (char)c);
	p = program(argc == 5 ? (const char *const *)argv + 1 : begin,
	    text.s != NULL ? text.s : "");
	dof_encode_progs((const struct dif_prog *const *)&p, 1, &opts, &out);
	fwrite(out.s, 1, out.len, stdout);
	dif_prog_destroy(p);
	strbuf_fini(&text);
	strbuf_fini(&out);
	return 0;
}
