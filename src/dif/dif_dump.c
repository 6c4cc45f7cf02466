/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The disassembler: dtrace -S.
 *
 * The layout is that of DTrace's -S, without the addresses, so that the text of
 * a program is the same in every run.  Objects may be unverified: every index
 * is checked before it is followed.
 */
#include "dif/dif.h"

#include <ctype.h>
#include <string.h>

#define STRING_SHOWN 40		/* characters of a constant in a comment */

static void
dump_quoted(struct strbuf *out, const char *s, size_t len)
{
	size_t n = len > STRING_SHOWN ? STRING_SHOWN : len;

	strbuf_addc(out, '"');
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c == '\n')
			strbuf_adds(out, "\\n");
		else if (c == '\t')
			strbuf_adds(out, "\\t");
		else if (c == '"' || c == '\\')
			strbuf_printf(out, "\\%c", c);
		else if (isprint(c))
			strbuf_addc(out, (char)c);
		else
			strbuf_printf(out, "\\%03o", c);
	}
	strbuf_adds(out, n < len ? "\"..." : "\"");
}

static void
dump_strtab(const struct dif_obj *dp, uint32_t off, struct strbuf *out)
{
	if (off >= dp->strlen) {
		strbuf_adds(out, "outside of the table");
		return;
	}
	dump_quoted(out, dp->strtab + off,
	    strnlen(dp->strtab + off, dp->strlen - off));
}

static int
scope_of_op(uint8_t op)
{
	switch (op) {
	case DIF_OP_LDTS:
	case DIF_OP_STTS:
	case DIF_OP_LDTAA:
	case DIF_OP_STTAA:
		return DIFV_SCOPE_THREAD;
	case DIF_OP_LDLS:
	case DIF_OP_STLS:
		return DIFV_SCOPE_LOCAL;
	default:
		return DIFV_SCOPE_GLOBAL;
	}
}

static void
dump_var_name(const struct dif_obj *dp, uint8_t op, uint32_t id,
    struct strbuf *out)
{
	static const char *const prefixes[] = { "", "self->", "this->" };
	int scope = scope_of_op(op);

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
		strbuf_printf(out, "\"%s%s\"", prefixes[scope],
		    dp->strtab + v->name);
		return;
	}
	strbuf_adds(out, "?");
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
			strbuf_printf(out, "0x%llx",
			    (unsigned long long)dp->inttab[idx]);
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

static const char *
ckind_name(uint8_t ckind)
{
	/* CTF_K_*: reference/ctf.md section 5 */
	static const char *const names[] = { "unknown", "integer", "float",
		"pointer", "array", "function", "struct", "union", "enum",
		"forward", "typedef", "volatile", "const", "restrict" };

	return ckind < sizeof(names) / sizeof(names[0]) ? names[ckind] :
	    "unknown";
}

static void
dump_type(const struct dif_type *t, struct strbuf *out)
{
	if (t->kind == DIF_TYPE_STRING)
		strbuf_adds(out, "string");
	else
		strbuf_printf(out, "D type (%s)", ckind_name(t->ckind));
	if (t->flags & DIF_TF_BYREF)
		strbuf_adds(out, " by ref");
	if (t->flags & DIF_TF_BYUREF)
		strbuf_adds(out, " by user ref");
	if (t->kind == DIF_TYPE_STRING && t->size == 0)
		strbuf_adds(out, " (size strsize)");
	else
		strbuf_printf(out, " (size %u)", t->size);
}

static void
dump_var(const struct dif_obj *dp, const struct dif_var *v, struct strbuf *out)
{
	static const char *const scopes[] = { "glb", "tls", "loc" };
	static const char *const flags[] = { "", "r", "w", "rw" };

	strbuf_printf(out, "%-16s %-4x %-3s %-3s %-4s ",
	    v->name < dp->strlen ? dp->strtab + v->name : "?", v->id,
	    v->kind == DIFV_KIND_ARRAY ? "arr" : "scl",
	    v->scope <= DIFV_SCOPE_LOCAL ? scopes[v->scope] : "???",
	    flags[v->flags & 3]);
	dump_type(&v->type, out);
	strbuf_addc(out, '\n');
}

void
dif_dump(const struct dif_obj *dp, struct strbuf *out)
{
	strbuf_adds(out, "DIFO returns ");
	dump_type(&dp->rtype, out);
	strbuf_adds(out, "\nOFF OPCODE      INSTRUCTION\n");
	for (uint32_t i = 0; i < dp->ntext; i++)
		dump_instr(dp, i, out);
	if (dp->nvar == 0)
		return;
	strbuf_printf(out, "\n%-16s %-4s %-3s %-3s %-4s %s\n", "NAME", "ID",
	    "KND", "SCP", "FLAG", "TYPE");
	for (uint32_t i = 0; i < dp->nvar; i++)
		dump_var(dp, &dp->vartab[i], out);
}
