/* SPDX-License-Identifier: BSD-2-Clause */
/* A plan in both substrates (exec/both): its split, and the joined records. */
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "ctf/ctf.h"
#include "exec/both/impl.h"
#include "exec/drain.h"
#include "exec/runtime/rt_self.h"
#include "provider/usites.h"

#define MAX 16

/* ---- the split ------------------------------------------------------- */

/*
 * A clause is a word:
 *	p1 p2 ...	has a probe of process 7, at 1000, 2000, ... of its file
 *	h1		has one a few bytes behind p1, in the same function
 *	l1		has one there: another function's exit
 *	u1		has one there in a function that is not known
 *	n1		has one there in a function of its own
 *	q1		has a probe of process 9, which cannot be entered
 *	k1		has a probe of the kernel
 *	y1		has one of a system call that dtrace's code makes: time
 *	x0		reads execname, for which that code makes a call
 *	t1		has a probe that dtrace fires
 *	e		has ERROR
 *	a1 A1		has the arrays self->a1[], A1[] (any other letters)
 *	G1 V1 W1	has the global G1, an integer; V1, a string; W1, a pointer
 *	i1 v1		has self->i1, an integer; self->v1, a string
 *	o1		has a probe of process 8, in another PID namespace
 *	ma mb ...	has a probe of each of 1, 2, ... processes
 *	s0		calls speculation()
 *	c0		is refused by the substrate of processes
 *	gf		may find functions f while tracing; g*: any
 *	w0		may find probes in all processes
 *	j1 J1		has a probe of process 7 in main(), where it is called and
 *			where it is at an instruction
 *	M0		may find main() while tracing
 *	d0		reads at arg0
 */
struct script {
	struct plan pl;
	struct plan_clause pc[MAX];
	struct dif_clause clause[MAX];
	struct dif_obj obj[MAX];
	struct dt_probe probes[128];
	struct dt_usites places[128];
	struct dt_ufile file;
	char texts[MAX][8];
	size_t n, nprobes;
};

#define REFUSED DIF_STEP_CHILL /* stands for something that is refused */

static struct dt_probe *
probe_of(struct script *s, enum dt_probe_kind kind, uint32_t id)
{
	struct dt_probe *p = &s->probes[s->nprobes++];

	p->kind = kind;
	p->id = id;
	p->prov = p->mod = p->func = p->name = "";
	return p;
}

static void
add_place(struct script *s, struct dt_probe *p, pid_t pid, uint64_t off)
{
	struct dt_usites *up = &s->places[p - s->probes];
	struct dt_usite site = { .file = &s->file, .off = off };

	up->pid = pid;
	site.is_first = p->kind == DT_PROBE_FUNC_ENTRY;
	if (p->kind == DT_PROBE_FUNC_RETURN)
		site.func_off = (int32_t)(off % 1000);
	if (strcmp(p->name, "exit") == 0)
		site.func_off = 5000;
	VEC_PUSH(&up->sites, site);
	p->up = up;
}

static void
add_user_probe(struct script *s, struct plan_clause *pc, char kind, char no)
{
	static const struct {
		char kind;
		enum dt_probe_kind is;
		uint32_t id, off;
		pid_t pid;
	} kinds[] = {
		{ 'p', DT_PROBE_FUNC_ENTRY, 100, 0, 7 },
		{ 'h', DT_PROBE_FUNC_RETURN, 200, 8, 7 },
		{ 'l', DT_PROBE_FUNC_RETURN, 250, 8, 7 },
		{ 'u', DT_PROBE_USDT, 300, 8, 7 },
		{ 'n', DT_PROBE_FUNC_ENTRY, 400, 8, 7 },
		{ 'q', DT_PROBE_FUNC_ENTRY, 500, 500, 9 },
		{ 'o', DT_PROBE_FUNC_ENTRY, 700, 500, 8 },
		{ 'j', DT_PROBE_FUNC_ENTRY, 750, 600, 7 },
		{ 'J', DT_PROBE_FUNC_OFFSET, 760, 700, 7 },
	};
	uint32_t n = (uint32_t)(no - '0');

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct dt_probe *p;

		if (kinds[i].kind != kind)
			continue;
		p = probe_of(s, kinds[i].is, kinds[i].id + n);
		p->func = kind == 'j' || kind == 'J' ? "main" : "";
		p->name = kind == 'l' ? "exit" : "";
		add_place(s, p, kinds[i].pid, 1000 * n + kinds[i].off);
		VEC_PUSH(&pc->probes, p);
	}
}

static void
add_processes(struct script *s, struct plan_clause *pc, char last)
{
	for (char c = 'a'; c <= last; c++) {
		struct dt_probe *p =
		    probe_of(s, DT_PROBE_FUNC_ENTRY, 800U + (uint32_t)c);

		add_place(s, p, c, 1000U * (uint32_t)c);
		VEC_PUSH(&pc->probes, p);
	}
}

static void
add_variable(struct script *s, size_t n, char letter, char no)
{
	struct dif_obj *dp = &s->obj[n];
	bool is_global = letter < 'a';
	bool is_scalar = strchr("GVWiv", letter) != NULL;
	bool is_string = strchr("Vv", letter) != NULL;
	struct dif_type type = { .ckind = strchr("Gi", letter) != NULL ?
		    CTF_K_INTEGER :
		    letter == 'W' ? CTF_K_POINTER :
				    CTF_K_UNKNOWN,
		.kind = is_string ? DIF_TYPE_STRING : DIF_TYPE_CTF,
		.flags = is_string ? DIF_TF_BYREF : 0,
		.size = 8 };

	dp->vartab =
	    mem_realloc(dp->vartab, (dp->nvar + 1) * sizeof(*dp->vartab));
	dp->vartab[dp->nvar++] = (struct dif_var){
		.id = (uint32_t)(DIF_VAR_USER_MIN + letter * 10 + no - '0'),
		.scope = is_global ? DIFV_SCOPE_GLOBAL : DIFV_SCOPE_THREAD,
		.kind = is_scalar ? DIFV_KIND_SCALAR : DIFV_KIND_ARRAY,
		.type = type
	};
}

static void
add_growth(struct script *s, size_t n, const char *prov, const char *func)
{
	struct dif_pdesc d = { .prov = (char *)(uintptr_t)prov,
		.mod = s->texts[n] + 6,
		.func = s->texts[n],
		.name = s->texts[n] + 6 };

	strcpy(s->texts[n], func);
	s->pc[n].may_grow = true;
	VEC_PUSH(&s->clause[n].pdescs, d);
}

static void
add_call(struct script *s, struct plan_clause *pc)
{
	struct dt_probe *p = probe_of(s, DT_PROBE_CALL_ENTRY, 600);

	p->index = 201;
	VEC_PUSH(&pc->probes, p);
}

/* arg0 is an address, from which a byte is loaded. */
static void
add_load(struct dif_obj *dp)
{
	static uint32_t text[3];

	text[0] = dif_instr_w(DIF_OP_LDGS, DIF_VAR_ARG0, 1);
	text[1] = dif_instr(DIF_OP_LDUB, 1, 0, 1);
	text[2] = dif_instr(DIF_OP_RET, 0, 0, 1);
	dp->text = text;
	dp->ntext = 3;
}

static void
add_item(struct script *s, size_t n, char kind, char no)
{
	struct plan_clause *pc = &s->pc[n];
	const char func[] = { no, '\0' };

	if (strchr("phlunqojJ", kind) != NULL)
		add_user_probe(s, pc, kind, no);
	else if (kind == 'm')
		add_processes(s, pc, no);
	else if (kind == 'k' || kind == 't')
		VEC_PUSH(&pc->probes,
		    probe_of(s,
			kind == 'k' ? DT_PROBE_TRACEPOINT : DT_PROBE_RUN,
			(uint32_t)(kind * 10 + no - '0')));
	else if (kind == 'y')
		add_call(s, pc);
	else if (kind == 'x')
		pc->uses.vars |= 1ULL << DIF_VROW_EXECNAME;
	else if (kind == 'e')
		VEC_PUSH(&pc->probes, probe_of(s, DT_PROBE_ERROR, 1));
	else if (kind == 's')
		pc->does |= 1U << DIF_STEP_SPECULATE;
	else if (kind == 'c')
		pc->does |= 1U << REFUSED;
	else if (kind == 'g')
		add_growth(s, n, "pid7", func);
	else if (kind == 'w')
		add_growth(s, n, "pid*", "*");
	else if (kind == 'M')
		add_growth(s, n, "pid7", "main");
	else if (kind == 'd')
		add_load(&s->obj[n]);
	else
		add_variable(s, n, kind, no);
}

static void
add_clause(struct script *s, const char *word)
{
	size_t n = s->n++;

	s->pc[n].clause = &s->clause[n];
	s->clause[n].pred = &s->obj[n];
	s->obj[n].strtab = (char *)(uintptr_t) "x";
	for (size_t i = 0; word[i] != '\0'; i += 2)
		add_item(s, n, word[i], word[i + 1]);
}

static void
script_init(struct script *s, const char *words)
{
	char copy[128], *rest = NULL;

	memset(s, 0, sizeof(*s));
	s->file.ino = 1;
	strcpy(copy, words);
	for (char *w = strtok_r(copy, " ", &rest); w != NULL;
	     w = strtok_r(NULL, " ", &rest))
		add_clause(s, w);
	for (size_t i = 0; i < s->n; i++)
		VEC_PUSH(&s->pl.clauses, s->pc[i]);
}

static void
script_fini(struct script *s)
{
	for (size_t i = 0; i < s->n; i++) {
		VEC_FREE(&s->pl.clauses.v[i].probes);
		VEC_FREE(&s->clause[i].pdescs);
		free(s->obj[i].vartab);
	}
	for (size_t i = 0; i < s->nprobes; i++)
		VEC_FREE(&s->places[i].sites);
	VEC_FREE(&s->pl.clauses);
}

static char *
refuses(const struct plan_clause *pc, const struct dt_probe *p)
{
	bool is_of_kernel = p != NULL &&
	    (p->kind == DT_PROBE_TRACEPOINT || p->kind == DT_PROBE_CALL_ENTRY);

	return is_of_kernel || (pc != NULL && plan_clause_does(pc, REFUSED)) ?
	    mem_strdup("refused") :
	    NULL;
}

static int
may_enter(pid_t pid, struct err *err)
{
	return pid == 9 ? err_set(err, -EPERM, "closed") : 0;
}

static bool
has_same_ids(pid_t pid)
{
	return pid != 8;
}

static void
check_split(const char *clauses, const char *want)
{
	static const char letters[] = "-KPE"; /* by enum both_where */
	const struct both_asks asks = { refuses, may_enter, has_same_ids };
	struct both_split split;
	struct diags diags;
	struct script s;
	char got[MAX + 1] = "";

	diags_init(&diags);
	script_init(&s, clauses);
	both_split_init(&split, &s.pl, &diags, &asks);
	for (size_t i = 0; i < s.n; i++) {
		got[i] = letters[split.choices[i].where];
		if ((got[i] == 'K') != (split.choices[i].why != NULL))
			fail_msg("%s: clause %zu in the kernel, without a "
				 "reason, or elsewhere with one",
			    clauses, i);
	}
	if (strcmp(got, want) != 0)
		fail_msg("%s: %s, not %s", clauses, got, want);
	both_split_fini(&split);
	script_fini(&s);
	diags_fini(&diags);
}

static void
test_split(void **state)
{
	static const struct {
		const char *clauses, *want;
	} cases[] = {
		{ "p1", "P" },
		{ "k1", "K" },
		{ "p1 k1 p2", "PKP" },
		/* a clause is not divided, and a probe has all its clauses */
		{ "p1k1 p1 p2", "KKP" },
		{ "p1p2 p2p3 p3k1", "KKK" },
		/* what dtrace fires goes with processes only if it must */
		{ "t1 p1 k1", "KPK" },
		{ "t1A1 p1A1 k1", "PPK" },
		{ "t1A1 p1A1 k1 t1B1 k2B1", "KKKKK" },
		{ "t1", "K" },
		/* shared variables, and private ones */
		{ "p1a1 k1a1", "KK" },
		{ "p1a1 k1a2", "PK" },
		{ "p1a1 p2a1 k1", "PPK" },
		{ "p1A1 p2A1B1 k1B1 p3", "KKKP" },
		{ "p1a1 k1A1", "PK" },
		{ "p1s0 k1s0 p2", "KKP" },
		{ "p1s0 p2s0 k1", "PPK" },
		/* memory of both parts has integers only */
		{ "p1G1 k1G1", "PK" },
		{ "p1V1 k1V1", "KK" },
		{ "p1W1 k1W1", "KK" },
		{ "p1G1 p2G1V1 k1V1", "PKK" },
		{ "t1G1 p1G1 k1G1", "PPK" },
		{ "t1G1 k1G1 p1", "KKP" },
		{ "p1G1 k1G1 e0G1", "KKK" },
		{ "p1i1 k1i1", "PK" },
		{ "p1v1 k1v1", "KK" },
		{ "p1G1i1 k1G1i1", "PK" },
		/* threads must be the kernel's */
		{ "p1i1 k1i1 o2", "KKP" },
		{ "p1G1 k1G1 o2", "PKP" },
		/* and of 15 processes at most; those of the kernel's probes
		 * need not be known */
		{ "moi1 k1i1", "PK" },
		{ "mpi1 k1i1", "KK" },
		{ "p1i1 k1i1 k2o2", "PKK" },
		{ "p1i1 k1i1 k2mp", "PKK" },
		/* places near each other */
		{ "p1k1 h1 p2", "KKP" },
		{ "p1k1 u1 p2", "KKP" },
		{ "p1k1 l1 p2", "KKP" },
		{ "p1k1 n1 p2", "KPP" },
		/* what the substrate of processes refuses */
		{ "p1c0 p2 k1", "KPK" },
		{ "q1 p1 k1", "KPK" },
		{ "q1A1 p1A1 p2", "KKP" },
		/* ERROR */
		{ "e0 p1 k1", "EPK" },
		{ "e0A1 p1 k1 t1", "KKKK" },
		{ "e0c0 p1", "KK" },
		{ "e0s0 p1", "KK" },
		{ "e0p1 p2 k1", "KKK" },
		/* system calls of dtrace's code */
		{ "p1x0 p2 y1", "KPK" },
		{ "p1x0 p2 k1", "PPK" },
		{ "p1x0k1 p2x0 k1", "KPK" },
		{ "t1x0 p1 y1", "KPK" },
		/* places that come while tracing */
		{ "gx gy k1", "PPK" },
		{ "gxk1 gx gy", "KKP" },
		{ "gxk1 g* gy", "KKK" },
		{ "g*k1 p1", "KP" },
		{ "w0 p1", "KP" },
		/* places that processes come to once */
		{ "j1 k1", "KK" },
		{ "j1 e0 t1G1 j2G1", "KEKK" },
		{ "j1 p1 k1", "PPK" },
		{ "J1 k1", "PK" },
		{ "M0 k1", "KK" },
		{ "M0j1 k1", "KK" },
		{ "M0p1 k1", "PK" },
		{ "gm k1", "PK" },
		/* addresses of memory that is not dtrace's */
		{ "p1d0 p2 k1", "KPK" },
		{ "t1d0A1 p1A1 p2", "KKP" },
		{ "e0d0 p1", "KK" },
		/* one that never fires is nowhere */
		{ "p1 A1 k1", "P-K" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_split(cases[i].clauses, cases[i].want);
}

/* ---- addresses ------------------------------------------------------- */

#define TABLES                                                                 \
	"DT_INTEGER[0] = 0x8\n"                                                \
	"DT_STRING[0] = \"\"\n"                                                \
	"DT_STRING[1] = \"x\"\n"
#define HEAD "DIFO returns D type (integer) (size 8)\n" TABLES
#define REF "DIFO returns string by ref (size strsize)\n" TABLES
#define VARS "NAME ID KND SCP FLAG TYPE\n"
#define THIS_P VARS "p 500 scl loc rw D type (pointer) (size 8)\n"
#define Q "q 502 scl loc rw D type (pointer) (size 8)\n"
#define THIS_Q VARS Q
#define SELF_P VARS "p 500 scl tls rw D type (pointer) (size 8)\n"
#define THIS_S VARS "s 501 scl loc rw string by ref (size strsize)\n"
#define ARG0 "ldgs 262, %r1\n"
#define PUSH(reg) "pushtv DT_TYPE(0), %r0, " reg "\n"
#define EIGHT "setx DT_INTEGER[0], %r2\n" PUSH("%r2")
#define COPYIN ARG0 PUSH("%r1") EIGHT "call 8, %r1\nflushts\n"
#define RET "ret %r1\n"
#define NOBJS 3

static bool
reads_other_memory(const char *const texts[NOBJS])
{
	struct plan_clause pc[NOBJS] = { 0 };
	struct dif_clause clause[NOBJS] = { 0 };
	struct both_addresses addresses;
	struct plan pl = { 0 };
	bool does = false;

	for (size_t i = 0; i < NOBJS && texts[i] != NULL; i++) {
		struct err err = { 0 };

		if (dif_assemble(texts[i], strlen(texts[i]), &clause[i].pred,
			&err) != 0 ||
		    dif_verify(clause[i].pred, &err) != 0)
			fail_msg("%s\n%s", err_text(&err), texts[i]);
		pc[i].clause = &clause[i];
		VEC_PUSH(&pl.clauses, pc[i]);
	}
	both_addresses_init(&addresses, &pl);
	VEC_FOREACH(&pl.clauses, c)
		does |= both_reads_other_memory(&addresses, c);
	both_addresses_fini(&addresses);
	for (size_t i = 0; i < NOBJS; i++)
		dif_obj_destroy(clause[i].pred);
	VEC_FREE(&pl.clauses);
	return does;
}

static void
test_addresses(void **state)
{
	static const struct {
		const char *texts[NOBJS];
		bool does;
	} cases[] = {
		/* numbers */
		{ { HEAD ARG0 "add %r1, %r1, %r1\n" RET }, false },
		/* *(int *)arg0; by a load that names the process's memory */
		{ { HEAD ARG0 "ldsw [%r1], %r1\n" RET }, true },
		{ { HEAD ARG0 "uldsw [%r1], %r1\n" RET }, false },
		/* ((int *)copyin(arg0, 8))[1], and what is at that address */
		{ { HEAD COPYIN "add %r1, %r2, %r1\nldsw [%r1], %r1\n" RET },
		    false },
		{ { HEAD COPYIN "ldx [%r1], %r1\nldsw [%r1], %r1\n" RET },
		    true },
		{ { HEAD COPYIN "mov %r1, %r3\nldsw [%r3], %r1\n" RET },
		    false },
		/* a distance between addresses is none */
		{ { HEAD COPYIN "sub %r2, %r1, %r1\nldsw [%r1], %r1\n" RET },
		    true },
		{ { HEAD COPYIN "xor %r2, %r1, %r1\nldsw [%r1], %r1\n" RET },
		    true },
		/* stringof(arg0); copyinstr(arg0); execname */
		{ { REF ARG0 RET }, true },
		{ { REF ARG0 PUSH("%r1") "call 9, %r1\n" RET }, false },
		{ { REF "ldgs 280, %r1\n" RET }, false },
		/* arg0 ? copyinstr(arg0) : stringof(arg0), and "x" */
		{ { REF ARG0
		      "tst %r1\nbe 6\n" PUSH("%r1") "call 9, %r1\nba 6\n" RET },
		    true },
		{ { REF ARG0 "tst %r1\nbe 6\n" PUSH(
		      "%r1") "call 9, %r1\nba 7\nsets DT_STRING[1], %r1\n" RET },
		    false },
		{ { REF ARG0 "sets DT_STRING[1], %r2\ntst %r1\nbe 6\n"
			     "mov %r1, %r2\nba 6\nret %r2\n" },
		    true },
		{ { HEAD "ldgs 262, %r2\nsets DT_STRING[1], %r1\ntst %r2\n"
			 "be 6\nmov %r2, %r1\nba 7\nscmp %r1, %r1\n"
			 "ret %r2\n" },
		    false },
		/* a comparison, each side */
		{ { HEAD ARG0 "sets DT_STRING[1], %r2\n"
			      "scmp %r1, %r2\n" RET },
		    true },
		{ { HEAD ARG0 "sets DT_STRING[1], %r2\n"
			      "scmp %r2, %r1\n" RET },
		    true },
		{ { HEAD ARG0 "sets DT_STRING[1], %r2\n"
			      "cmp %r1, %r2\n" RET },
		    false },
		/* strlen((string)arg0) */
		{ { HEAD ARG0
		      "pushtr DT_TYPE(1), %r0, %r1\ncall 12, %r1\n" RET },
		    true },
		/* bcopy(arg0, copyin(), 8); bcopy(copyin(), copyin(), 8) */
		{ { HEAD COPYIN "ldgs 262, %r3\n" PUSH("%r3") PUSH("%r1") EIGHT
		      "call 16, %r1\n" RET },
		    true },
		{ { HEAD COPYIN PUSH("%r1") PUSH("%r1") EIGHT
		      "call 16, %r1\n" RET },
		    false },
		/* inet_ntop(8, copyin()): the second one */
		{ { HEAD COPYIN EIGHT PUSH("%r1") "call 41, %r1\n" RET },
		    false },
		{ { HEAD ARG0 EIGHT PUSH("%r1") "call 41, %r1\n" RET }, true },
		/* this->p = copyin(); *this->p in another clause */
		{ { HEAD COPYIN "stls %r1, 1280\n" RET THIS_P,
		      HEAD "ldls 1280, %r1\nldsw [%r1], %r1\n" RET THIS_P },
		    false },
		/* the same, and a third clause sets this->p = arg0 */
		{ { HEAD "ldls 1280, %r1\nldsw [%r1], %r1\n" RET THIS_P,
		      HEAD COPYIN "stls %r1, 1280\n" RET THIS_P,
		      HEAD ARG0 "stls %r1, 1280\n" RET THIS_P },
		    true },
		{ { HEAD ARG0 "stls %r1, 1280\n" RET THIS_P }, false },
		/* *this->q; this->q = this->p; this->p = arg0 */
		{ { HEAD "ldls 1282, %r1\nldsw [%r1], %r1\n" RET THIS_Q,
		      HEAD "ldls 1280, %r1\nstls %r1, 1282\n" RET THIS_P Q,
		      HEAD ARG0 "stls %r1, 1280\n" RET THIS_P },
		    true },
		/* self->p = copyin(); *self->p in another clause */
		{ { HEAD COPYIN "stts %r1, 1280\n" RET SELF_P,
		      HEAD "ldts 1280, %r1\nldsw [%r1], %r1\n" RET SELF_P },
		    true },
		/* this->s = stringof(arg0); a byte of this->s */
		{ { HEAD ARG0 "stls %r1, 1281\n" RET THIS_S }, true },
		{ { HEAD "ldls 1281, %r1\nldub [%r1], %r1\n" RET THIS_S },
		    false },
		/* NULL: this->s = 0; a this->p of copyin() or NULL, read at;
		 * "x" == 0; c ? copyinstr() : NULL; strlen(NULL) */
		{ { HEAD "stls %r0, 1281\nret %r0\n" THIS_S }, false },
		{ { HEAD COPYIN "stls %r1, 1280\n" RET THIS_P,
		      HEAD "stls %r0, 1280\nret %r0\n" THIS_P,
		      HEAD "ldls 1280, %r1\nldsw [%r1], %r1\n" RET THIS_P },
		    false },
		{ { HEAD "sets DT_STRING[1], %r1\nscmp %r1, %r0\n" RET },
		    false },
		{ { REF ARG0 "tst %r1\nbe 6\n" PUSH(
		      "%r1") "call 9, %r1\nba 7\nmov %r0, %r1\n" RET },
		    false },
		{ { HEAD "pushtr DT_TYPE(1), %r0, %r0\ncall 12, %r1\n" RET },
		    false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (reads_other_memory(cases[i].texts) != cases[i].does)
			fail_msg("case %zu: %s", i, cases[i].texts[0]);
	}
}

static void
test_shared_variables(void **state)
{
	const struct both_asks asks = { refuses, may_enter, has_same_ids };
	const struct exec_shared_var *first, *second;
	struct both_split split;
	struct diags diags;
	struct script s;
	char *text;

	(void)state;
	diags_init(&diags);
	/* G2 is of processes alone, G3 of the kernel */
	script_init(&s, "p1G1G2 p2G2G4 k1G1G3 k2G3G4V1");
	both_split_init(&split, &s.pl, &diags, &asks);
	assert_int_equal(split.shared.v.n, 2);
	first = exec_shared_find(&split.shared, DIF_VAR_USER_MIN + 'G' * 10 + 1,
	    DIFV_SCOPE_GLOBAL, DIFV_KIND_SCALAR);
	second =
	    exec_shared_find(&split.shared, DIF_VAR_USER_MIN + 'G' * 10 + 4,
		DIFV_SCOPE_GLOBAL, DIFV_KIND_SCALAR);
	assert_non_null(first);
	assert_non_null(second);
	/* the mark comes first */
	assert_int_equal(first->off, 8);
	assert_int_equal(second->off, 16);
	assert_int_equal(split.shared.size, 24);
	assert_null(exec_shared_find(
	    &split.shared, first->id, DIFV_SCOPE_THREAD, DIFV_KIND_SCALAR));
	assert_null(exec_shared_find(
	    &split.shared, first->id, DIFV_SCOPE_GLOBAL, DIFV_KIND_ARRAY));
	assert_null(exec_shared_find(
	    NULL, first->id, DIFV_SCOPE_GLOBAL, DIFV_KIND_SCALAR));
	text = both_split_shared_text(&split);
	assert_string_equal(text, "in memory of both parts: x, x");
	free(text);
	both_split_undo(&split, mem_strdup("refused"));
	assert_null(both_split_shared_text(&split));
	both_split_fini(&split);
	script_fini(&s);
	diags_fini(&diags);
}

static const struct exec_shared_var *
find_shared(const struct both_split *split, char letter, char no)
{
	return exec_shared_find(&split->shared,
	    (uint32_t)(DIF_VAR_USER_MIN + letter * 10 + no - '0'),
	    letter < 'a' ? DIFV_SCOPE_GLOBAL : DIFV_SCOPE_THREAD,
	    DIFV_KIND_SCALAR);
}

static void
test_shared_self(void **state)
{
	const struct both_asks asks = { refuses, may_enter, has_same_ids };
	const uint64_t nslots = 16384, words = 2 * 8;
	struct both_split split;
	struct diags diags;
	struct script s;
	char *text;

	(void)state;
	diags_init(&diags);
	script_init(&s, "p1i1 k1i1G1 p2G1i2 k2i2i3 q1");
	both_split_init(&split, &s.pl, &diags, &asks);
	exec_shared_lay_out(&split.shared, 4096);
	assert_int_equal(find_shared(&split, 'G', '1')->off, 8);
	assert_int_equal(find_shared(&split, 'i', '1')->off, 0);
	assert_int_equal(find_shared(&split, 'i', '2')->off, 8);
	assert_null(find_shared(&split, 'i', '3'));
	assert_int_equal(split.shared.self_size, words);
	assert_int_equal(split.shared.self_keys, 64);
	assert_int_equal(split.shared.self_words, 64 + 8 * nslots);
	assert_int_equal(split.shared.len % 4096, 0);
	assert_in_range(split.shared.len, 64 + (8 + words) * nslots,
	    64 + (8 + words) * nslots + 4095);
	/* dtrace, and the process that is entered; not 9, which is closed */
	assert_int_equal(split.shared.pids.n, 2);
	assert_int_equal(split.shared.pids.v[0], getpid());
	assert_int_equal(split.shared.pids.v[1], 7);
	text = both_split_shared_text(&split);
	assert_string_equal(
	    text, "in memory of both parts: x, self->x, self->x");
	free(text);
	both_split_fini(&split);
	script_fini(&s);
	diags_fini(&diags);
}

/* ---- the table of threads -------------------------------------------- */

static void
test_self_table(void **state)
{
	uint64_t keys[RT_SELF_WAYS] = { 0 };
	const uint64_t first = RT_SELF_BUCKETS + 5;

	(void)state;
	assert_int_equal(rt_self_bucket(first), 5);
	assert_int_equal(rt_self_way(keys, first), RT_SELF_WAYS);
	for (uint64_t i = 0; i < RT_SELF_WAYS; i++)
		assert_int_equal(
		    rt_self_way_take(keys, first + i * RT_SELF_BUCKETS), i);
	assert_int_equal(rt_self_way_take(keys, 5), RT_SELF_WAYS);
	assert_int_equal(rt_self_way_take(keys, first), 0);
	/* a key that is free again is the next thread's */
	keys[3] = 0;
	assert_int_equal(rt_self_way_take(keys, 5), 3);
	assert_int_equal(rt_self_way(keys, 5), 3);
	assert_int_equal(
	    rt_self_way(keys, first + 3 * RT_SELF_BUCKETS), RT_SELF_WAYS);
}

/* ---- parts of a plan ------------------------------------------------- */

static void
test_parts(void **state)
{
	const bool has[] = { false, true, true };
	struct dt_probe late = { .id = 50 };
	const struct dt_probe *p;
	struct plan_part *part;
	struct script s;

	(void)state;
	script_init(&s, "k1k2 p1p2p3 p4");
	s.pl.clauses.v[0].epid_base = 1;
	s.pl.clauses.v[1].epid_base = 3;
	s.pl.clauses.v[2].epid_base = 6;
	s.pl.nepids = 6;
	s.pl.late_base = 7;
	part = plan_part_create(&s.pl, has);
	assert_null(plan_by_epid(&part->pl, 1, &p));
	assert_null(plan_by_epid(&part->pl, 2, &p));
	for (uint32_t epid = 3; epid <= 6; epid++) {
		const struct dt_probe *whole;

		assert_non_null(plan_by_epid(&part->pl, epid, &p));
		assert_non_null(plan_by_epid(&s.pl, epid, &whole));
		assert_ptr_equal(p, whole);
	}
	assert_null(plan_by_epid(&part->pl, 7, &p));
	assert_int_equal(plan_add_late(&s.pl, 0, &late), 7);
	assert_int_equal(plan_add_late(&s.pl, 2, &late), 8);
	assert_int_equal(plan_part_grow(part), 1);
	assert_int_equal(plan_part_grow(part), 0);
	assert_null(plan_by_epid(&part->pl, 7, &p));
	assert_ptr_equal(
	    plan_by_epid(&part->pl, 8, &p), &part->pl.clauses.v[1]);
	assert_ptr_equal(p, &late);
	plan_part_destroy(part);
	VEC_FREE(&s.pl.late);
	script_fini(&s);
}

/* ---- records --------------------------------------------------------- */

/* A part that hands over records of these times, relative to `base`. */
struct fake {
	struct dt_exec e;
	const int64_t *times;
	size_t n;
	uint64_t base, pending;
	uint64_t ndrops, nlost, most, used, room;
	unsigned nwalks;
};

static int
fake_drain(struct dt_exec *e, bool merged, dt_record_f *f, void *arg)
{
	struct fake *x = (struct fake *)(void *)e;
	char data[32];
	int rc = 0;

	assert_true(merged);
	for (size_t i = 0; i < x->n && rc == 0; i++) {
		struct dt_record rec = { .epid = 1,
			.time_ns = x->base + (uint64_t)x->times[i],
			.data = data,
			.size = 13 + (uint32_t)i };

		memset(data, 'a' + (int)i, sizeof(data));
		rc = f(&rec, arg);
	}
	x->n = 0;
	return rc;
}

static uint64_t
fake_pending(const struct dt_exec *e)
{
	return ((const struct fake *)(const void *)e)->pending;
}

static uint64_t
fake_drops(struct dt_exec *e, enum dt_drop kind, uint32_t cpu)
{
	(void)kind;
	(void)cpu;
	return ((const struct fake *)(void *)e)->ndrops;
}

static uint64_t
fake_lost(struct dt_exec *e, enum dt_drop kind, uint32_t cpu)
{
	(void)kind;
	(void)cpu;
	return ((const struct fake *)(void *)e)->nlost;
}

static uint64_t
fake_most(const struct dt_exec *e, enum dt_drop kind)
{
	(void)kind;
	return ((const struct fake *)(const void *)e)->most;
}

static int
fake_walk(struct dt_exec *e, uint32_t agg_id, dt_aggent_f *f, void *arg)
{
	struct fake *x = (struct fake *)(void *)e;

	x->nwalks++;
	return f(agg_id, NULL, &x->used, arg);
}

static void
fake_fill(struct dt_exec *e, uint32_t agg_id, uint64_t *used, uint64_t *room)
{
	const struct fake *x = (const struct fake *)(void *)e;

	(void)agg_id;
	*used = x->used;
	*room = x->room;
}

static const struct dt_exec_ops fake_ops = {
	.lost = fake_lost,
	.most = fake_most,
	.agg_walk = fake_walk,
	.agg_turn = fake_walk,
	.agg_fill = fake_fill,
	.drain = fake_drain,
	.pending_ns = fake_pending,
	.drops = fake_drops,
};

struct got {
	int64_t times[32];
	size_t n, stop_at;
	uint64_t base;
};

static int
take(const struct dt_record *rec, void *arg)
{
	struct got *got = arg;

	for (uint32_t i = 0; i < rec->size; i++)
		assert_int_equal(rec->data[i], 'a' + (int)rec->size - 13);
	got->times[got->n++] = (int64_t)(rec->time_ns - got->base);
	return got->n == got->stop_at ? -ECANCELED : 0;
}

static void
set_parts(struct both_exec *x, struct fake *a, struct fake *b)
{
	memset(x, 0, sizeof(*x));
	x->nparts = 2;
	x->parts[0].ops = x->parts[1].ops = &fake_ops;
	x->parts[0].x = &a->e;
	x->parts[1].x = &b->e;
}

static void
check_times(const struct got *got, const int64_t *want, size_t n)
{
	assert_int_equal(got->n, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(got->times[i], want[i]);
}

static void
test_records(void **state)
{
	static const int64_t first[] = { 10, 11, 17, 30 };
	static const int64_t second[] = { 5, 11, 12, 40 };
	static const int64_t third[] = { 13, 50 };
	static const int64_t want[] = { 5, 10, 11, 11, 12, 17, 30, 40, 13, 50 };
	uint64_t base = now_ns() - 10 * EXEC_MERGE_GUARD_NS;
	struct fake a = { .times = first, .n = 4, .base = base };
	struct fake b = { .times = second, .n = 4, .base = base };
	struct got got = { .base = base, .stop_at = 3 };
	struct both_exec x;

	(void)state;
	set_parts(&x, &a, &b);
	/* the rest is kept for the next time */
	assert_int_equal(both_drain(&x.e, true, take, &got), -ECANCELED);
	check_times(&got, want, 3);
	assert_int_equal(both_pending_ns(&x.e), EXEC_MERGE_GUARD_NS);
	assert_int_equal(both_drain(&x.e, false, take, &got), 0);
	check_times(&got, want, 8);
	assert_int_equal(both_pending_ns(&x.e), 0);
	a.times = third;
	a.n = 2;
	assert_int_equal(both_drain(&x.e, true, take, &got), 0);
	check_times(&got, want, 10);
	both_queue_fini(&x.parts[0].queue);
	both_queue_fini(&x.parts[1].queue);
}

/* Young records wait: an older one of the other part may still come. */
static void
test_young(void **state)
{
	static const int64_t young[] = { 0, 3600000000000 };
	static const int64_t want[] = { 0, 3600000000000 };
	uint64_t base = now_ns() - 10 * EXEC_MERGE_GUARD_NS;
	struct fake a = { .times = young, .n = 2, .base = base };
	struct fake b = { .base = base, .pending = 77 };
	struct got got = { .base = base };
	struct both_exec x;

	(void)state;
	set_parts(&x, &a, &b);
	assert_int_equal(both_drain(&x.e, true, take, &got), 0);
	check_times(&got, want, 1);
	assert_int_equal(both_pending_ns(&x.e), 77);
	x.is_stopped = true;
	assert_int_equal(both_drain(&x.e, true, take, &got), 0);
	check_times(&got, want, 2);
	both_queue_fini(&x.parts[0].queue);
	both_queue_fini(&x.parts[1].queue);
}

static void
test_drops(void **state)
{
	struct fake a = { .e = { .ncpus = 1 }, .ndrops = 3 };
	struct fake b = { .e = { .ncpus = 2 }, .ndrops = 40 };
	struct both_exec x;

	(void)state;
	set_parts(&x, &a, &b);
	a.nlost = 5;
	b.nlost = 8;
	a.most = 1000;
	assert_int_equal(both_drops(&x.e, DT_DROP_PRINCIPAL, 0), 43);
	assert_int_equal(both_drops(&x.e, DT_DROP_PRINCIPAL, 1), 40);
	assert_int_equal(both_lost(&x.e, DT_DROP_PRINCIPAL, 0), 8);
	/* 0: not known */
	assert_int_equal(both_most(&x.e, DT_DROP_PRINCIPAL), 1000);
	b.most = 700;
	assert_int_equal(both_most(&x.e, DT_DROP_PRINCIPAL), 700);
}

static int
add_up(uint32_t agg_id, const void *key, const void *val, void *arg)
{
	(void)key;
	assert_int_equal(agg_id, 1);
	*(uint64_t *)arg += *(const uint64_t *)val;
	return 0;
}

/* Only parts whose clauses update an aggregation are asked. */
static void
test_aggregations(void **state)
{
	struct fake a = { .used = 10, .room = 100 };
	struct fake b = { .used = 9, .room = 20 };
	struct plan_part parts[2] = { 0 };
	struct plan_agg pa = { 0 };
	struct both_exec x;
	uint64_t sum = 0, used, room;

	(void)state;
	set_parts(&x, &a, &b);
	for (size_t i = 0; i < 2; i++) {
		VEC_PUSH(&parts[i].pl.aggs, pa);
		x.parts[i].plan = &parts[i];
	}
	assert_int_equal(both_agg_walk(&x.e, 1, add_up, &sum), 0);
	assert_int_equal(sum, 19);
	assert_int_equal(both_agg_turn(&x.e, 1, add_up, &sum), 0);
	assert_int_equal(sum, 38);
	both_agg_fill(&x.e, 1, &used, &room); /* the fuller one */
	assert_int_equal(used, 9);
	assert_int_equal(room, 20);
	parts[1].pl.aggs.v[0].is_elsewhere = true;
	assert_int_equal(both_agg_turn(&x.e, 1, add_up, &sum), 0);
	assert_int_equal(sum, 48);
	both_agg_fill(&x.e, 1, &used, &room);
	assert_int_equal(room, 100);
	assert_int_equal(b.nwalks, 2);
	VEC_FREE(&parts[0].pl.aggs);
	VEC_FREE(&parts[1].pl.aggs);
}

/* ---- the beginning --------------------------------------------------- */

static int
fake_enter(struct dt_exec *e, struct err *err)
{
	(void)e;
	return err_set(err, -EBUSY, "a debugger is there");
}

static void
fake_destroy(struct dt_exec *e)
{
	(void)e;
}

static const struct dt_exec_ops refusing_ops = {
	.enter = fake_enter,
	.destroy = fake_destroy,
};

/* If neither part can reach the probes, the message has both reasons. */
static void
test_refused(void **state)
{
	const char *both =
	    "a debugger is there; nor can the kernel reach its probes: ";
	struct plan_part part = { 0 };
	struct fake a = { 0 };
	struct both_exec x;
	struct err err = { 0 };

	(void)state;
	set_parts(&x, &a, &a);
	x.nparts = 1;
	x.parts[0].ops = &refusing_ops;
	x.parts[0].plan = &part;
	x.opts.cpu = 1 << 20; /* no machine has this one */
	assert_true(both_go(&x.e, &err) < 0);
	assert_memory_equal(err_text(&err), both, strlen(both));
	assert_true(strlen(err_text(&err)) > strlen(both));
	err_clear(&err);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_shared_variables),
		cmocka_unit_test(test_shared_self),
		cmocka_unit_test(test_self_table),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_young),
		cmocka_unit_test(test_drops),
		cmocka_unit_test(test_aggregations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
