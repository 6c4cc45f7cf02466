/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The disassembler: dtrace -S.
 *
 * The layout is that of DTrace's -S, without the addresses, so that the text of
 * a program is the same in every run.  Objects may be unverified: every index
 * is checked before it is followed.
 */
#include "dif/dif_impl.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

#define STRING_SHOWN 40 /* characters of a constant in a comment */

static void
dump_strtab(const struct dif_obj *dp, uint32_t off, struct strbuf *out)
{
	if (off >= dp->strlen) {
		strbuf_adds(out, "outside of the table");
		return;
	}
	strbuf_add_quoted(out, dp->strtab + off,
	    strnlen(dp->strtab + off, dp->strlen - off), STRING_SHOWN);
}

/* "self->x"; the name may be anything. */
static void
dump_scoped(const char *prefix, const struct dif_obj *dp, uint32_t off,
    struct strbuf *out)
{
	struct strbuf name = { 0 };

	strbuf_adds(&name, prefix);
	strbuf_add(&name, dp->strtab + off,
	    strnlen(dp->strtab + off, dp->strlen - off));
	strbuf_add_quoted(out, name.s, name.len, name.len);
	strbuf_fini(&name);
}

static void
dump_var_name(
    const struct dif_obj *dp, uint8_t op, uint32_t id, struct strbuf *out)
{
	static const char *const prefixes[] = { "", "self->", "this->" };
	uint8_t scope = dif_op_scope(op);

	strbuf_printf(out, "! DT_VAR(%u) = ", id);
	if (id < DIF_VAR_USER_MIN) {
		const char *name = dif_var_name(id);

		strbuf_printf(out, "\"%s\"", name != NULL ? name : "?");
		return;
	}
	for (uint32_t i = 0; i < dp->nvar; i++) {
		const struct dif_var *v = &dp->vartab[i];

		if (v->id != id || v->scope != scope || v->name >= dp->strlen)
			continue;
		dump_scoped(prefixes[scope], dp, v->name, out);
		return;
	}
	strbuf_adds(out, "?");
}

/* A name from a file may have any bytes: quote it unless it is plain. */
static void
add_name(const char *s, size_t len, const char *others, struct strbuf *out)
{
	size_t plain = 0;

	while (plain < len &&
	    (isalnum((unsigned char)s[plain]) ||
		strchr(others, s[plain]) != NULL))
		plain++;
	if (plain == len && len != 0)
		strbuf_add(out, s, len);
	else
		strbuf_add_quoted(out, s, len, STRING_SHOWN);
}

/* translator struct out < struct in * >: its member */
static void
dump_xlref(const struct dif_xlref *x, uint32_t ins, struct strbuf *out)
{
	strbuf_adds(out, "\t! ");
	add_name(x->out, strlen(x->out), "_ *", out);
	strbuf_adds(out, " < ");
	add_name(x->in, strlen(x->in), "_ *", out);
	strbuf_adds(out, " >.");
	add_name(x->member, strlen(x->member), "_", out);
	if (dif_instr_op(ins) == DIF_OP_XLARG)
		strbuf_printf(out, " of args[%u]", x->argn);
}

static void
dump_operands(const struct dif_obj *dp, uint32_t ins, struct strbuf *out)
{
	unsigned r1 = dif_instr_r1(ins), r2 = dif_instr_r2(ins);
	unsigned rd = dif_instr_rd(ins), idx = dif_instr_idx(ins);
	const struct dif_subrinfo *si;

	switch (dif_opinfo[dif_instr_op(ins)].fmt) {
	case DIF_FMT_RRR:
		strbuf_printf(out, "%%r%u, %%r%u, %%r%u", r1, r2, rd);
		break;
	case DIF_FMT_RR:
		strbuf_printf(out, "%%r%u, %%r%u", r1, rd);
		break;
	case DIF_FMT_CMP:
		strbuf_printf(out, "%%r%u, %%r%u", r1, r2);
		break;
	case DIF_FMT_TST:
		strbuf_printf(out, "%%r%u", r1);
		break;
	case DIF_FMT_BRANCH:
		strbuf_printf(out, "%u", dif_instr_label(ins));
		break;
	case DIF_FMT_LOAD:
		strbuf_printf(out, "[%%r%u], %%r%u", r1, rd);
		break;
	case DIF_FMT_STORE:
		strbuf_printf(out, "%%r%u, [%%r%u]", r1, rd);
		break;
	case DIF_FMT_RET:
		strbuf_printf(out, "%%r%u", rd);
		break;
	case DIF_FMT_SETX:
		strbuf_printf(out, "DT_INTEGER[%u], %%r%u\t! ", idx, rd);
		if (idx < dp->nint)
			strbuf_printf(
			    out, "0x%llx", (unsigned long long)dp->inttab[idx]);
		else
			strbuf_adds(out, "outside of the table");
		break;
	case DIF_FMT_SETS:
		strbuf_printf(out, "DT_STRING[%u], %%r%u\t! ", idx, rd);
		dump_strtab(dp, idx, out);
		break;
	case DIF_FMT_LDA:
		strbuf_printf(out, "%u, %%r%u, %%r%u\t\t", r1, r2, rd);
		dump_var_name(dp, dif_instr_op(ins), r1, out);
		break;
	case DIF_FMT_LDV:
		strbuf_printf(out, "%u, %%r%u\t\t", idx, rd);
		dump_var_name(dp, dif_instr_op(ins), idx, out);
		break;
	case DIF_FMT_STV:
		strbuf_printf(out, "%%r%u, %u\t\t", rd, idx);
		dump_var_name(dp, dif_instr_op(ins), idx, out);
		break;
	case DIF_FMT_CALL:
		si = dif_subr_find(idx);
		strbuf_printf(out, "%u, %%r%u\t\t! %s", idx, rd,
		    si != NULL ? si->name : "?");
		break;
	case DIF_FMT_PUSH:
		strbuf_printf(out, "DT_TYPE(%u), %%r%u, %%r%u\t! %s", r1, r2,
		    rd, r1 == DIF_TYPE_STRING ? "string" : "D type");
		break;
	case DIF_FMT_XL:
		strbuf_printf(out, "%u, %%r%u", idx, rd);
		if (idx < dp->nxlref)
			dump_xlref(&dp->xlrefs[idx], ins, out);
		break;
	case DIF_FMT_NONE:
	case DIF_FMT_INVALID:
		break;
	}
}

static void
dump_instr(const struct dif_obj *dp, uint32_t pc, struct strbuf *out)
{
	uint32_t ins = dp->text[pc];
	const struct dif_opinfo *oi = &dif_opinfo[dif_instr_op(ins)];

	strbuf_printf(out, "%02u: %08x    ", pc, ins);
	if (oi->mnem == NULL) {
		strbuf_adds(out, "???\n");
		return;
	}
	if (oi->fmt == DIF_FMT_NONE) {
		strbuf_printf(out, "%s\n", oi->mnem);
		return;
	}
	strbuf_printf(out, "%-4s ", oi->mnem);
	dump_operands(dp, ins, out);
	strbuf_addc(out, '\n');
}

/* CTF_K_*: doc/reference/ctf.md section 5 */
const char *const dif_ckind_names[DIF_NCKINDS] = { "unknown", "integer",
	"float", "pointer", "array", "function", "struct", "union", "enum",
	"forward", "typedef", "volatile", "const", "restrict" };

static void
dump_ckind(uint8_t ckind, struct strbuf *out)
{
	if (ckind < DIF_NCKINDS)
		strbuf_printf(out, " (%s)", dif_ckind_names[ckind]);
	else
		strbuf_printf(out, " (kind %u)", ckind);
}

static void
dump_type(const struct dif_type *t, struct strbuf *out)
{
	const uint8_t known = DIF_TF_BYREF | DIF_TF_BYUREF;

	if (t->kind == DIF_TYPE_STRING)
		strbuf_adds(out, "string");
	else if (t->kind == DIF_TYPE_CTF)
		strbuf_adds(out, "D type");
	else
		strbuf_printf(out, "type %u", t->kind);
	if (t->kind != DIF_TYPE_STRING || t->ckind != 0)
		dump_ckind(t->ckind, out);
	if (t->flags & DIF_TF_BYREF)
		strbuf_adds(out, " by ref");
	if (t->flags & DIF_TF_BYUREF)
		strbuf_adds(out, " by user ref");
	if (t->flags & ~known)
		strbuf_printf(out, " flags 0x%x", t->flags & ~known);
	if (t->pad != 0)
		strbuf_printf(out, " pad %u", t->pad);
	if (t->kind == DIF_TYPE_STRING && t->size == 0)
		strbuf_adds(out, " (size strsize)");
	else
		strbuf_printf(out, " (size %u)", t->size);
}

static void
dump_name(const struct dif_obj *dp, uint32_t off, struct strbuf *out)
{
	struct strbuf name = { 0 };
	const char *s = off < dp->strlen ? dp->strtab + off : "?";
	size_t len = off < dp->strlen ? strnlen(s, dp->strlen - off) : 1;

	add_name(s, len, "_`?", &name);
	strbuf_printf(out, "%-16s ", name.s);
	strbuf_fini(&name);
}

static void
dump_var(const struct dif_obj *dp, const struct dif_var *v, struct strbuf *out)
{
	static const char *const scopes[] = { "glb", "tls", "loc" };
	static const char *const flags[] = { "", "r", "w", "rw" };
	char scope[8], kind[8], flag[8];

	snprintf(scope, sizeof(scope), "s%u", v->scope);
	snprintf(kind, sizeof(kind), "k%u", v->kind);
	snprintf(flag, sizeof(flag), "0x%x", v->flags);
	dump_name(dp, v->name, out);
	strbuf_printf(out, "%-4x %-3s %-3s %-4s ", v->id,
	    v->kind == DIFV_KIND_ARRAY	    ? "arr" :
		v->kind == DIFV_KIND_SCALAR ? "scl" :
					      kind,
	    v->scope <= DIFV_SCOPE_LOCAL ? scopes[v->scope] : scope,
	    v->flags <= 3 ? flags[v->flags] : flag);
	dump_type(&v->type, out);
}

static void
dump_head(const struct dif_obj *dp, struct strbuf *out)
{
	strbuf_adds(out, "DIFO returns ");
	dump_type(&dp->rtype, out);
	strbuf_adds(out, "\nOFF OPCODE      INSTRUCTION\n");
	for (uint32_t i = 0; i < dp->ntext; i++)
		dump_instr(dp, i, out);
	if (dp->nvar != 0)
		strbuf_printf(out, "\n%-16s %-4s %-3s %-3s %-4s %s\n", "NAME",
		    "ID", "KND", "SCP", "FLAG", "TYPE");
}

void
dif_dump(const struct dif_obj *dp, struct strbuf *out)
{
	dump_head(dp, out);
	for (uint32_t i = 0; i < dp->nvar; i++) {
		dump_var(dp, &dp->vartab[i], out);
		strbuf_addc(out, '\n');
	}
}

/* The string table, string by string; the last may lack its NUL. */
static void
format_strtab(const struct dif_obj *dp, struct strbuf *out)
{
	uint32_t off = 0;

	while (off < dp->strlen) {
		const char *s = dp->strtab + off;
		uint32_t len = (uint32_t)strnlen(s, dp->strlen - off);

		strbuf_printf(out, "DT_STRING[%u] = ", off);
		strbuf_add_quoted(out, s, len, len);
		off += len + 1;
		strbuf_adds(out, off <= dp->strlen ? "\n" : " open\n");
	}
}

static void
format_krel(const struct dif_krel *k, uint32_t i, struct strbuf *out)
{
	strbuf_printf(out, "DT_KREL[%u] = DT_INTEGER[%u] ", i, k->int_index);
	strbuf_add_quoted(out, k->module, strlen(k->module), SIZE_MAX);
	strbuf_addc(out, ' ');
	strbuf_add_quoted(out, k->symbol, strlen(k->symbol), SIZE_MAX);
	strbuf_printf(out, " 0x%llx%s\n", (unsigned long long)k->addend,
	    k->is_percpu ? " percpu" : "");
}

static void
format_xlref(const struct dif_xlref *x, uint32_t i, struct strbuf *out)
{
	strbuf_printf(out, "DT_XLREF[%u] = ", i);
	strbuf_add_quoted(out, x->in, strlen(x->in), SIZE_MAX);
	strbuf_addc(out, ' ');
	strbuf_add_quoted(out, x->out, strlen(x->out), SIZE_MAX);
	strbuf_addc(out, ' ');
	strbuf_add_quoted(out, x->member, strlen(x->member), SIZE_MAX);
	strbuf_printf(out, " %u ", x->argn);
	dump_type(&x->type, out);
	strbuf_addc(out, '\n');
}

void
dif_format(const struct dif_obj *dp, struct strbuf *out)
{
	dump_head(dp, out);
	for (uint32_t i = 0; i < dp->nvar; i++) {
		dump_var(dp, &dp->vartab[i], out);
		strbuf_printf(out, "\t! DT_STRING[%u]\n", dp->vartab[i].name);
	}
	strbuf_addc(out, '\n');
	for (uint32_t i = 0; i < dp->nint; i++)
		strbuf_printf(out, "DT_INTEGER[%u] = 0x%llx\n", i,
		    (unsigned long long)dp->inttab[i]);
	format_strtab(dp, out);
	for (uint32_t i = 0; i < dp->nkrel; i++)
		format_krel(&dp->krels[i], i, out);
	for (uint32_t i = 0; i < dp->nxlref; i++)
		format_xlref(&dp->xlrefs[i], i, out);
}
