/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sections are kept as they will be in the file; their places are known when
 * all have been added.  Loadable ones come first, as dofh_loadsz requires.
 * Strings of all sections but those of DIF objects share one table, section 0.
 */
#include "dof/dof_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

struct wsec {
	struct dof_sec hdr;
	struct strbuf data;
};

struct dof_writer {
	struct dof_ident id;
	bool is_swapped;
	VEC(struct wsec) secs;
	struct strbuf strs;
	struct strtab ids; /* string -> index in offs, plus 1 */
	VEC(uint32_t) offs;
};

struct dof_writer *
dof_writer_create(const struct dof_ident *id)
{
	struct dof_writer *w = mem_alloc(sizeof(*w));
	struct wsec strtab = { .hdr = { .dofs_type = DOF_SECT_STRTAB,
				   .dofs_align = 1,
				   .dofs_flags = DOF_SECF_LOAD } };

	w->id = *id;
	w->is_swapped = id->encoding != DOF_ENCODE_NATIVE;
	strtab_init(&w->ids);
	VEC_PUSH(&w->secs, strtab);
	dof_write_str(w, "");
	return w;
}

void
dof_writer_destroy(struct dof_writer *w)
{
	if (w == NULL)
		return;
	VEC_FOREACH(&w->secs, s)
		strbuf_fini(&s->data);
	VEC_FREE(&w->secs);
	strbuf_fini(&w->strs);
	strtab_fini(&w->ids);
	VEC_FREE(&w->offs);
	free(w);
}

uint32_t
dof_write_str(struct dof_writer *w, const char *s)
{
	uint32_t id = strtab_intern(&w->ids, s);

	if (id > w->offs.n) {
		VEC_PUSH(&w->offs, (uint32_t)w->strs.len);
		strbuf_add(&w->strs, s, strlen(s) + 1);
	}
	return w->offs.v[id - 1];
}

uint32_t
dof_write_strs(struct dof_writer *w, char *const *strs, size_t n)
{
	uint32_t off = (uint32_t)w->strs.len;

	if (n == 0)
		return 0;
	for (size_t i = 0; i < n; i++)
		strbuf_add(&w->strs, strs[i], strlen(strs[i]) + 1);
	return off;
}

/* Append elements in the image's byte order. */
static void
add_elems(const struct dof_writer *w, struct strbuf *to,
    const struct dof_elem *el, const void *elems, size_t n)
{
	size_t at = to->len;

	strbuf_add(to, elems, n * el->size);
	if (!w->is_swapped || el->fields == NULL)
		return;
	for (size_t i = 0; i < n; i++)
		dof_swap(el, to->s + at + i * el->size);
}

static struct wsec *
add_sec(struct dof_writer *w, enum dof_sectype type)
{
	const struct dof_secinfo *si = dof_secinfo(type);
	struct wsec s = { .hdr = { .dofs_type = type,
			      .dofs_align = si->align,
			      .dofs_flags = si->is_load ? DOF_SECF_LOAD : 0,
			      .dofs_entsize = si->form == DOF_FORM_TABLE ?
				  (uint32_t)si->elem->size :
				  0 } };

	VEC_PUSH(&w->secs, s);
	return &w->secs.v[w->secs.n - 1];
}

uint32_t
dof_write_sec(
    struct dof_writer *w, enum dof_sectype type, const void *elems, size_t n)
{
	struct wsec *s = add_sec(w, type);

	add_elems(w, &s->data, dof_secinfo(type)->elem, elems, n);
	return (uint32_t)w->secs.n - 1;
}

uint32_t
dof_write_difohdr(struct dof_writer *w, const struct dif_type *rtype,
    const uint32_t *links, uint32_t nlinks)
{
	struct wsec *s = add_sec(w, DOF_SECT_DIFOHDR);
	const struct dof_elem *word = dof_secinfo(DOF_SECT_DIF)->elem;

	add_elems(w, &s->data, dof_secinfo(DOF_SECT_DIFOHDR)->elem, rtype, 1);
	add_elems(w, &s->data, word, links, nlinks);
	return (uint32_t)w->secs.n - 1;
}

/* ---- layout ------------------------------------------------------------- */

/* Place the sections of one kind. Returns where they end. */
static uint64_t
place(struct dof_writer *w, bool is_load, uint64_t off)
{
	VEC_FOREACH(&w->secs, s) {
		uint64_t align = s->hdr.dofs_align;

		if (((s->hdr.dofs_flags & DOF_SECF_LOAD) != 0) != is_load)
			continue;
		off = (off + align - 1) & ~(align - 1);
		s->hdr.dofs_offset = off;
		s->hdr.dofs_size = s->data.len;
		off += s->data.len;
	}
	return off;
}

static void
put_hdr(const struct dof_writer *w, uint64_t loadsz, uint64_t filesz,
    struct strbuf *out)
{
	struct dof_hdr h = { .dofh_hdrsize = DOF_HDR_SIZE,
		.dofh_secsize = DOF_SECHDR_SIZE,
		.dofh_secnum = (uint32_t)w->secs.n,
		.dofh_secoff = DOF_HDR_SIZE,
		.dofh_loadsz = loadsz,
		.dofh_filesz = filesz };

	memcpy(h.dofh_ident, DOF_MAGIC, 4);
	h.dofh_ident[DOF_ID_MODEL] = (uint8_t)w->id.model;
	h.dofh_ident[DOF_ID_ENCODING] = (uint8_t)w->id.encoding;
	h.dofh_ident[DOF_ID_VERSION] = w->id.version;
	h.dofh_ident[DOF_ID_DIFVERS] = DIF_VERSION;
	h.dofh_ident[DOF_ID_DIFIREG] = DIF_NREGS;
	h.dofh_ident[DOF_ID_DIFTREG] = DIF_NTREGS;
	add_elems(w, out, dof_elem_hdr, &h, 1);
}

static void
put_secs(
    const struct dof_writer *w, bool is_load, size_t start, struct strbuf *out)
{
	VEC_FOREACH(&w->secs, s) {
		if (((s->hdr.dofs_flags & DOF_SECF_LOAD) != 0) != is_load)
			continue;
		while (out->len - start < s->hdr.dofs_offset)
			strbuf_addc(out, '\0');
		strbuf_add(out, s->data.s, s->data.len);
	}
}

void
dof_write_finish(struct dof_writer *w, struct strbuf *out)
{
	size_t start = out->len;
	uint64_t loadsz, filesz;

	strbuf_fini(&w->secs.v[0].data);
	w->secs.v[0].data = w->strs;
	w->strs = (struct strbuf){ 0 };
	loadsz = place(w, true, DOF_HDR_SIZE + w->secs.n * DOF_SECHDR_SIZE);
	filesz = place(w, false, loadsz);
	put_hdr(w, loadsz, filesz, out);
	VEC_FOREACH(&w->secs, s)
		add_elems(w, out, dof_elem_sec, &s->hdr, 1);
	put_secs(w, true, start, out);
	put_secs(w, false, start, out);
}
