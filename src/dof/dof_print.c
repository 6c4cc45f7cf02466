/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Print an image: every section, every field.
 *
 * Known fields are printed by the tables.  Some fields have meaning only
 * together with the section that links to theirs: strings of variables,
 * relocations, probes and members are in a table that the linking section
 * names.  These tables are looked up once, before printing.
 *
 * Links can make a small image print without end: a megabyte of strings from a
 * thousand places.  So references show only the beginning of a string, objects
 * are disassembled once, and the text is cut when it is out of proportion to
 * the image.
 */
#include "dof/dof_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

#define STRING_SHOWN 64	   /* characters shown of a referenced string */
#define NAME_MAX_SHOWN 255 /* of a variable's name, in disassembly */
#define TEXT_PER_BYTE 64   /* most text per byte of the image */

struct dof_print_printer {
	const struct dof *d;
	struct strbuf *out;
	dof_optname_f *optname;
	size_t limit;
	/* by section: the table of its XSTR fields, or NONE */
	uint32_t *xstrtab;
	bool *is_linked; /* DIF: is disassembled with an object */
	bool *is_shown;	 /* it was disassembled */
};

/* ---- strings ------------------------------------------------------------ */

static void
put_str(struct dof_print_printer *p, uint32_t strtab, uint64_t off)
{
	const char *s = dof_str(p->d, strtab, off);

	strbuf_add_quoted(
	    p->out, s, strnlen(s, STRING_SHOWN + 1), STRING_SHOWN);
}

/* ---- fields ------------------------------------------------------------- */

static const char *
act_name(uint64_t kind)
{
	const char *name = NULL;

	if (kind <= UINT16_MAX)
		name = dof_act_name((uint32_t)kind);
	if (name == NULL && kind <= UINT16_MAX)
		name = dif_act((uint32_t)kind)->name;
	return name == NULL || *name == '?' ? "unknown" : name;
}

static void
put_link(struct dof_print_printer *p, const struct dof_field *f, uint64_t to)
{
	const char *name;

	if (to >= p->d->hdr.dofh_secnum ||
	    (to == DOF_SECT_NONE && f->detail == DOF_SECT_PRENOFFS)) {
		strbuf_adds(p->out, "none");
		return;
	}
	name = dof_sectype_name(p->d->secs[to].dofs_type);
	strbuf_printf(p->out, "section %llu (%s)", (unsigned long long)to,
	    name != NULL ? name : "unknown");
}

static void
put_attr(struct dof_print_printer *p, uint64_t v)
{
	struct dif_attr a;

	if (dof_attr_of_word((uint32_t)v, &a))
		strbuf_printf(p->out, "%s/%s/%s", dif_attr_name(&a),
		    dif_attr_data(&a), dif_attr_class(&a));
	else
		strbuf_printf(
		    p->out, "0x%llx, no attribute", (unsigned long long)v);
}

/* dofa_arg and dofo_value: a string, if the element names its table. */
static void
put_arg(struct dof_print_printer *p, uint32_t sec, const union dof_any *any,
    uint64_t v)
{
	uint32_t strtab = DOF_SECIDX_NONE;

	if (p->d->secs[sec].dofs_type == DOF_SECT_OPTDESC)
		strtab = any->optdesc.dofo_strtab;
	else if (dif_act_has_format(any->actdesc.dofa_kind) ||
	    any->actdesc.dofa_kind == DT_ACT_DIFEXPR)
		strtab = any->actdesc.dofa_strtab;
	if (strtab != DOF_SECIDX_NONE)
		put_str(p, strtab, v);
	else
		strbuf_printf(p->out, "0x%llx", (unsigned long long)v);
}

/* dof_decode() refuses other types */
static const char *
relo_name(uint64_t type)
{
	static const char *const relos[] = { "none", "setx", "dofrel" };

	return type <= DOF_RELO_DOFREL ? relos[type] : "percpu";
}

static void
put_field(struct dof_print_printer *p, uint32_t sec, const struct dof_field *f,
    const union dof_any *any, uint32_t strtab)
{
	static const char *const tkinds[] = { "D type", "string" };
	uint64_t v = dof_field(f, any);
	unsigned long long n = v;

	switch ((enum dof_meaning)f->meaning) {
	case DOF_F_PAD:
		break;
	case DOF_F_DEC:
	case DOF_F_CKIND:
		strbuf_printf(p->out, "%llu", n);
		if (f->off == offsetof(struct dof_optdesc, dofo_option) &&
		    p->d->secs[sec].dofs_type == DOF_SECT_OPTDESC &&
		    p->optname != NULL && p->optname((uint32_t)v) != NULL)
			strbuf_printf(p->out, " (%s)", p->optname((uint32_t)v));
		break;
	case DOF_F_HEX:
		strbuf_printf(p->out, "0x%llx", n);
		break;
	case DOF_F_ACT:
		strbuf_printf(p->out, "0x%llx (%s)", n, act_name(v));
		break;
	case DOF_F_RELO:
		strbuf_printf(p->out, "%llu (%s)", n, relo_name(v));
		break;
	case DOF_F_TKIND:
		strbuf_printf(p->out, "%llu (%s)", n,
		    v <= DIF_TYPE_STRING ? tkinds[v] : "unknown");
		break;
	case DOF_F_ATTR:
		put_attr(p, v);
		break;
	case DOF_F_ARG:
		put_arg(p, sec, any, v);
		break;
	case DOF_F_LINK:
	case DOF_F_LINK0:
	case DOF_F_STRS:
	case DOF_F_STRS0:
		put_link(p, f, v);
		break;
	case DOF_F_STR:
	case DOF_F_XSTR:
		if (strtab != DOF_SECIDX_NONE)
			put_str(p, strtab, v);
		else
			strbuf_printf(p->out, "string 0x%llx", n);
		break;
	}
}

/* Print "name value" for each field, with a separator. */
static void
put_elem(struct dof_print_printer *p, uint32_t sec, uint32_t i, const char *sep)
{
	const struct dof_elem *el =
	    dof_secinfo(p->d->secs[sec].dofs_type)->elem;
	const char *before = "";
	uint32_t strtab;
	union dof_any any;

	dof_get(p->d, sec, i, &any);
	strtab = dof_elem_strtab(el, &any);
	if (strtab == DOF_SECIDX_NONE)
		strtab = p->xstrtab[sec];
	for (const struct dof_field *f = el->fields; f->name != NULL; f++) {
		if (f->meaning == DOF_F_PAD)
			continue;
		strbuf_printf(p->out, "%s%s ", before, f->name);
		put_field(p, sec, f, &any, strtab);
		before = sep;
	}
	strbuf_addc(p->out, '\n');
}

/* ---- sections ----------------------------------------------------------- */

/* Is the text too long? Says so once. */
static bool
is_cut(struct dof_print_printer *p)
{
	if (p->limit == 0)
		return true;
	if (p->out->len <= p->limit)
		return false;
	strbuf_adds(p->out,
	    "\n... cut: the image repeats itself through its "
	    "links\n");
	p->limit = 0;
	return true;
}

static bool
has_plain_value(uint32_t type)
{
	return type == DOF_SECT_PRARGS || type == DOF_SECT_PROFFS ||
	    type == DOF_SECT_PRENOFFS || type == DOF_SECT_INTTAB ||
	    type == DOF_SECT_DIF || type == DOF_SECT_PREXPORT;
}

static void
put_table(struct dof_print_printer *p, uint32_t sec)
{
	uint32_t n = dof_nelems(p->d, sec);
	const struct dof_elem *el =
	    dof_secinfo(p->d->secs[sec].dofs_type)->elem;
	union dof_any any;

	for (uint32_t i = 0; i < n && !is_cut(p); i++) {
		strbuf_printf(p->out, "\t%u: ", i);
		if (!has_plain_value(p->d->secs[sec].dofs_type)) {
			put_elem(p, sec, i, ", ");
			continue;
		}
		dof_get(p->d, sec, i, &any);
		put_field(p, sec, el->fields, &any, DOF_SECIDX_NONE);
		strbuf_addc(p->out, '\n');
	}
}

/* Consecutive strings, with their offsets. */
static void
put_strings(struct dof_print_printer *p, uint32_t sec)
{
	uint64_t size = p->d->secs[sec].dofs_size, off = 0;

	while (off < size && !is_cut(p)) {
		const char *s = dof_str(p->d, sec, off);
		size_t len = strnlen(s, size - off);

		strbuf_printf(p->out, "\t0x%llx: ", (unsigned long long)off);
		strbuf_add_quoted(p->out, s, len, len);
		strbuf_addc(p->out, '\n');
		off += len + 1;
	}
}

/* struct utsname: fields of one width, as many as the system has. */
static void
put_utsname(struct dof_print_printer *p, uint32_t sec)
{
	static const char *const names[] = { "sysname", "nodename", "release",
		"version", "machine", "domainname" };
	static const struct {
		uint64_t size;
		size_t width, n;
	} forms[] = { { 6 * 65, 65, 6 }, { 5 * 257, 257, 5 },
		{ 5 * 256, 256, 5 }, { 5 * 32, 32, 5 } };

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (forms[i].size != p->d->secs[sec].dofs_size)
			continue;
		for (size_t k = 0; k < forms[i].n; k++) {
			const char *s = dof_str(p->d, sec, k * forms[i].width);

			strbuf_printf(p->out, "\t%s ", names[k]);
			strbuf_add_quoted(p->out, s, strnlen(s, forms[i].width),
			    forms[i].width);
			strbuf_addc(p->out, '\n');
		}
		return;
	}
	put_strings(p, sec);
}

/* Bytes of an unknown section. */
static void
put_bytes(struct dof_print_printer *p, uint32_t sec)
{
	const struct dof_sec *s = &p->d->secs[sec];

	for (uint64_t i = 0; i < s->dofs_size && !is_cut(p); i++)
		strbuf_printf(p->out, "%s%02x%s", i % 16 == 0 ? "\t" : "",
		    p->d->img[s->dofs_offset + i],
		    i % 16 == 15 || i + 1 == s->dofs_size ? "\n" : " ");
}

/* Why an object is not disassembled, or NULL. */
static const char *
too_much(const struct dif_obj *dp)
{
	if ((uint64_t)dp->ntext * 4 + (uint64_t)dp->nint * 8 + dp->strlen +
		(uint64_t)dp->nvar * sizeof(struct dif_var) >
	    DIF_MAX_BYTES)
		return "it is larger than an object may be";
	for (uint32_t i = 0; i < dp->nvar; i++) {
		if (strnlen(dp->strtab + dp->vartab[i].name,
			NAME_MAX_SHOWN + 1) > NAME_MAX_SHOWN)
			return "a variable has too long a name";
	}
	return NULL;
}

static void
put_difohdr(struct dof_print_printer *p, uint32_t sec)
{
	uint32_t text = dof_find_link(p->d, sec, DOF_SECT_DIF);
	struct dif_obj *dp;
	const char *why;

	strbuf_addc(p->out, '\t');
	put_elem(p, sec, 0, "\n\t");
	for (uint32_t i = 0; i < dof_nlinks(p->d, sec) && !is_cut(p); i++) {
		static const struct dof_field f = { .detail = DOF_SECT_NONE };

		strbuf_adds(p->out, "\tdofd_links ");
		put_link(p, &f, dof_link(p->d, sec, i));
		strbuf_addc(p->out, '\n');
	}
	if (p->is_shown[text]) {
		strbuf_adds(p->out, "\tthe text was shown before\n");
		return;
	}
	p->is_shown[text] = true;
	dp = dof_get_difo(p->d, sec);
	why = too_much(dp);
	if (why != NULL)
		strbuf_printf(p->out, "\tnot disassembled: %s\n", why);
	else
		dif_dump(dp, p->out);
	dif_obj_destroy(dp);
}

/* n consecutive strings, in brackets. */
static void
put_strs(struct dof_print_printer *p, uint32_t strtab, uint64_t off, uint32_t n)
{
	strbuf_addc(p->out, '(');
	for (uint32_t i = 0; i < n; i++) {
		const char *s = dof_str(p->d, strtab, off);
		size_t len = strlen(s);

		strbuf_adds(p->out, i == 0 ? "" : ", ");
		strbuf_add_quoted(p->out, s, len, len);
		off += len + 1;
	}
	strbuf_addc(p->out, ')');
}

/* The addresses of a probe's sites. */
static void
put_sites(struct dof_print_printer *p, const char *what, uint64_t addr,
    uint32_t table, uint32_t idx, uint32_t n)
{
	struct dof_word off;

	for (uint32_t i = 0; i < n && !is_cut(p); i++) {
		dof_get(p->d, table, idx + i, &off);
		strbuf_printf(p->out, "%s0x%llx", i == 0 ? what : " ",
		    (unsigned long long)addr + off.v);
	}
}

/* A provider's tables, joined. */
static void
put_probes(struct dof_print_printer *p, uint32_t sec)
{
	struct dof_provider pv;
	struct dof_probe pr;

	dof_get(p->d, sec, 0, &pv);
	for (uint32_t i = 0;
	     i < dof_nelems(p->d, pv.dofpv_probes) && !is_cut(p); i++) {
		dof_get(p->d, pv.dofpv_probes, i, &pr);
		strbuf_adds(p->out, "\tprobe ");
		put_str(p, pv.dofpv_strtab, pr.dofpr_func);
		strbuf_addc(p->out, ':');
		put_str(p, pv.dofpv_strtab, pr.dofpr_name);
		put_strs(p, pv.dofpv_strtab, pr.dofpr_nargv, pr.dofpr_nargc);
		strbuf_adds(p->out, " -> ");
		put_strs(p, pv.dofpv_strtab, pr.dofpr_xargv, pr.dofpr_xargc);
		put_sites(p, ", sites ", pr.dofpr_addr, pv.dofpv_proffs,
		    pr.dofpr_offidx, pr.dofpr_noffs);
		put_sites(p, ", is-enabled ", pr.dofpr_addr, pv.dofpv_prenoffs,
		    pr.dofpr_enoffidx, pr.dofpr_nenoffs);
		strbuf_addc(p->out, '\n');
	}
}

static void
put_content(struct dof_print_printer *p, uint32_t sec)
{
	const struct dof_sec *s = &p->d->secs[sec];
	const struct dof_secinfo *si = dof_secinfo(s->dofs_type);

	if (si == NULL || si->form == DOF_FORM_BYTES) {
		put_bytes(p, sec);
	} else if (s->dofs_type == DOF_SECT_UTSNAME) {
		put_utsname(p, sec);
	} else if (si->form == DOF_FORM_TEXT) {
		put_strings(p, sec);
	} else if (si->form == DOF_FORM_DIFO) {
		put_difohdr(p, sec);
	} else if (si->form == DOF_FORM_ONE) {
		strbuf_addc(p->out, '\t');
		put_elem(p, sec, 0, "\n\t");
		if (s->dofs_type == DOF_SECT_PROVIDER)
			put_probes(p, sec);
	} else if (p->is_linked[sec]) {
		strbuf_printf(p->out,
		    "\t%u instructions, shown with their "
		    "object\n",
		    dof_nelems(p->d, sec));
	} else {
		put_table(p, sec);
	}
}

/* ---- printing ----------------------------------------------------------- */

/* Find facts of sections that only the sections linking to them have. */
static void
find_owners(struct dof_print_printer *p)
{
	uint32_t n = p->d->hdr.dofh_secnum;
	union dof_any a;

	memset(p->xstrtab, 0xff, n * sizeof(*p->xstrtab));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t to;

		switch (p->d->secs[i].dofs_type) {
		case DOF_SECT_DIFOHDR:
			to = dof_find_link(p->d, i, DOF_SECT_DIF);
			p->is_linked[to] = true;
			to = dof_find_link(p->d, i, DOF_SECT_VARTAB);
			if (to != DOF_SECIDX_NONE)
				p->xstrtab[to] =
				    dof_find_link(p->d, i, DOF_SECT_STRTAB);
			break;
		case DOF_SECT_URELHDR:
		case DOF_SECT_KRELHDR:
			dof_get(p->d, i, 0, &a);
			p->xstrtab[a.relohdr.dofr_relsec] =
			    a.relohdr.dofr_strtab;
			break;
		case DOF_SECT_XLIMPORT:
		case DOF_SECT_XLEXPORT:
			dof_get(p->d, i, 0, &a);
			p->xstrtab[a.xlator.dofxl_members] =
			    a.xlator.dofxl_strtab;
			break;
		case DOF_SECT_PROVIDER:
			dof_get(p->d, i, 0, &a);
			p->xstrtab[a.provider.dofpv_probes] =
			    a.provider.dofpv_strtab;
			break;
		default:
			break;
		}
	}
}

static void
put_hdr(struct dof_print_printer *p)
{
	const uint8_t *id = p->d->hdr.dofh_ident;

	strbuf_printf(p->out,
	    "DOF version %u, %s, %s-endian, DIF version %u, "
	    "%u integer and %u tuple registers\n",
	    id[DOF_ID_VERSION],
	    id[DOF_ID_MODEL] == DOF_MODEL_LP64 ? "LP64" : "ILP32",
	    id[DOF_ID_ENCODING] == DOF_ENCODE_LSB ? "little" : "big",
	    id[DOF_ID_DIFVERS], id[DOF_ID_DIFIREG], id[DOF_ID_DIFTREG]);
	for (const struct dof_field *f = dof_elem_hdr->fields; f->name != NULL;
	     f++)
		strbuf_printf(p->out,
		    f->meaning == DOF_F_DEC ? "\t%s %llu\n" : "\t%s 0x%llx\n",
		    f->name, (unsigned long long)dof_field(f, &p->d->hdr));
}

static void
put_sec(struct dof_print_printer *p, uint32_t sec)
{
	const struct dof_sec *s = &p->d->secs[sec];
	const char *name = dof_sectype_name(s->dofs_type);

	strbuf_printf(p->out, "\nSECTION %u: ", sec);
	if (name != NULL)
		strbuf_adds(p->out, name);
	else
		strbuf_printf(p->out, "type %u, unknown", s->dofs_type);
	strbuf_printf(p->out,
	    ", offset 0x%llx, size %llu, align %u, entsize "
	    "%u, flags 0x%x%s\n",
	    (unsigned long long)s->dofs_offset,
	    (unsigned long long)s->dofs_size, s->dofs_align, s->dofs_entsize,
	    s->dofs_flags, s->dofs_flags & DOF_SECF_LOAD ? " (load)" : "");
	if (s->dofs_type != DOF_SECT_NONE)
		put_content(p, sec);
}

void
dof_print(const struct dof *d, dof_optname_f *optname, struct strbuf *out)
{
	uint32_t n = d->hdr.dofh_secnum;
	struct dof_print_printer p = { .d = d,
		.out = out,
		.optname = optname,
		.limit = out->len + 65536 + d->hdr.dofh_filesz * TEXT_PER_BYTE,
		.xstrtab = mem_alloc(n * sizeof(*p.xstrtab) + 1),
		.is_linked = mem_alloc(n * sizeof(*p.is_linked) + 1),
		.is_shown = mem_alloc(n * sizeof(*p.is_shown) + 1) };

	find_owners(&p);
	put_hdr(&p);
	for (uint32_t i = 0; i < n && !is_cut(&p); i++)
		put_sec(&p, i);
	free(p.xstrtab);
	free(p.is_linked);
	free(p.is_shown);
}
