/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The type section: consecutive records of a fixed part and data by kind.  The
 * first pass finds the beginning of each, which checks the lengths and counts
 * the types; the second checks names, references and encodings.
 *
 *	| name 4 | info w | size or type w | [size high 4 | size low 4] | data |
 *
 * w is 2 bytes in version 2 and 4 in both forms of version 3.
 */
#include <errno.h>

#include "base/err.h"
#include "base/vec.h"
#include "ctf/ctf_file_impl.h"

static const struct ctf_kind_info kinds[] = {
#define CTF_KIND(n, NAME, field, data)                                         \
	[n] = { #NAME, CTF_FIELD_##field, CTF_DATA_##data },
#include "ctf/ctf_kinds.def"
#undef CTF_KIND
};

const struct ctf_kind_info *
ctf_kind_info(unsigned kind)
{
	static const struct ctf_kind_info none = { NULL, CTF_FIELD_NONE,
		CTF_DATA_NOTHING };

	return kind < sizeof(kinds) / sizeof(kinds[0]) ? &kinds[kind] : &none;
}

/* Names of the forms: doc/reference/ctf.md section 5. */
const char *
ctf_float_name(uint32_t encoding)
{
	static const char *const names[CTF_FLOAT_MAX + 1] = { "0", "SINGLE",
		"DOUBLE", "CPLX", "DCPLX", "LDCPLX", "LDOUBLE", "INTRVL",
		"DINTRVL", "LDINTRVL", "IMAGRY", "DIMAGRY", "LDIMAGRY" };

	return encoding >> 24 <= CTF_FLOAT_MAX ? names[encoding >> 24] : "?";
}

/* ---- layout of the data -------------------------------------------------- */

static bool
has_large_members(const struct ctf_file *f, const struct ctf_rec *r)
{
	return r->size >= f->fmt->large_struct;
}

static uint32_t
member_len(const struct ctf_file *f, const struct ctf_rec *r)
{
	if (has_large_members(f, r))
		return 16;
	return f->fmt->word == 2 ? 8 : 12;
}

/*
 * Bytes of an argument list: version 2 and GNU pad to an even number of
 * arguments, FreeBSD's version 3 does not.
 */
static uint64_t
args_len(const struct ctf_file *f, uint32_t n)
{
	if (f->h.format != CTF_FMT_V3)
		n += n & 1;
	return (uint64_t)n * f->fmt->word;
}

static uint64_t
data_len(const struct ctf_file *f, const struct ctf_rec *r)
{
	switch (ctf_kind_info(r->kind)->data) {
	case CTF_DATA_NOTHING:
		return 0;
	case CTF_DATA_ENCODING:
		return 4;
	case CTF_DATA_ARRAY:
		return 2 * f->fmt->word + 4;
	case CTF_DATA_ARGS:
		return args_len(f, r->vlen);
	case CTF_DATA_MEMBERS:
		return (uint64_t)r->vlen * member_len(f, r);
	case CTF_DATA_ENUMS:
		return (uint64_t)r->vlen * 8;
	case CTF_DATA_SLICE:
		return 8;
	}
	return 0;
}

/* ---- reading ------------------------------------------------------------- */

/* Read the fixed part; the caller has checked that it is in the section. */
static void
read_head(const struct ctf_file *f, uint32_t off, struct ctf_rec *r)
{
	const uint8_t *p = ctf_sect(f, CTF_SECT_TYPES) + off;
	unsigned w = f->fmt->word;
	uint32_t info = ctf_get_word(f, p + 4);
	uint32_t field = ctf_get_word(f, p + 4 + w);

	memset(r, 0, sizeof(*r));
	r->kind = (uint8_t)(info >> f->fmt->kind_shift);
	r->is_root = (info & f->fmt->root) != 0;
	r->vlen = info & f->fmt->vlen;
	r->off = off;
	r->data = off + 4 + 2 * w;
	if (ctf_kind_info(r->kind)->field != CTF_FIELD_SIZE)
		r->ref = field;
	else
		r->size = field;
}

static bool
has_large_size(const struct ctf_file *f, const struct ctf_rec *r)
{
	return ctf_kind_info(r->kind)->field == CTF_FIELD_SIZE &&
	    r->size == f->fmt->large_size;
}

static void
read_large_size(const struct ctf_file *f, struct ctf_rec *r)
{
	const uint8_t *p = ctf_sect(f, CTF_SECT_TYPES) + r->data;

	r->size = (uint64_t)ctf_get32(f, p) << 32 | ctf_get32(f, p + 4);
	r->data += 8;
}

static void
read_rec(const struct ctf_file *f, uint32_t off, struct ctf_rec *r)
{
	read_head(f, off, r);
	if (has_large_size(f, r))
		read_large_size(f, r);
	r->name = ctf_str(f, ctf_get32(f, ctf_sect(f, CTF_SECT_TYPES) + off));
	if (ctf_kind_info(r->kind)->data == CTF_DATA_ENCODING)
		r->encoding =
		    ctf_get32(f, ctf_sect(f, CTF_SECT_TYPES) + r->data);
}

uint32_t
ctf_file_ntypes(const struct ctf_file *f)
{
	return (uint32_t)f->recs.n;
}

uint32_t
ctf_file_id(const struct ctf_file *f, uint32_t index)
{
	return ctf_header_is_child(&f->h) ? index | f->fmt->child : index;
}

/* The file that has a type id: f, its parent, or NULL. */
static const struct ctf_file *
owner(const struct ctf_file *f, uint32_t id)
{
	if (!ctf_header_is_child(&f->h) || (id & f->fmt->child) != 0)
		return f;
	return f->parent;
}

const struct ctf_file *
ctf_file_rec(const struct ctf_file *f, uint32_t id, struct ctf_rec *r)
{
	const struct ctf_file *of = owner(f, id);

	if (id == 0 || of == NULL)
		return NULL;
	id &= ~f->fmt->child;
	if (id == 0 || id > of->recs.n)
		return NULL;
	read_rec(of, of->recs.v[id - 1], r);
	return of;
}

struct ctf_file_member
ctf_file_member(const struct ctf_file *f, const struct ctf_rec *r, uint32_t i)
{
	const uint8_t *p = ctf_sect(f, CTF_SECT_TYPES) + r->data +
	    (size_t)i * member_len(f, r);
	struct ctf_file_member m = { .name = ctf_str(f, ctf_get32(f, p)) };

	if (!has_large_members(f, r)) {
		/* GNU: name, offset, type; else name, type, offset */
		bool off_first = f->h.format == CTF_FMT_GNU;

		m.bit_off =
		    ctf_get_word(f, p + 4 + (off_first ? 0 : f->fmt->word));
		m.type =
		    ctf_get_word(f, p + 4 + (off_first ? f->fmt->word : 0));
		return m;
	}
	/* name, type (and 16 unused bits), high, low; GNU has high before
	 * type */
	if (f->h.format == CTF_FMT_GNU) {
		m.bit_off = (uint64_t)ctf_get32(f, p + 4) << 32;
		m.type = ctf_get32(f, p + 8);
	} else {
		m.type = ctf_get_word(f, p + 4);
		m.bit_off = (uint64_t)ctf_get32(f, p + 8) << 32;
	}
	m.bit_off |= ctf_get32(f, p + 12);
	return m;
}

struct ctf_enumerator
ctf_file_enum(const struct ctf_file *f, const struct ctf_rec *r, uint32_t i)
{
	const uint8_t *p =
	    ctf_sect(f, CTF_SECT_TYPES) + r->data + (size_t)i * 8;

	return (struct ctf_enumerator){ ctf_str(f, ctf_get32(f, p)),
		(int32_t)ctf_get32(f, p + 4) };
}

uint32_t
ctf_file_arg(const struct ctf_file *f, const struct ctf_rec *r, uint32_t i)
{
	return ctf_get_word(f,
	    ctf_sect(f, CTF_SECT_TYPES) + r->data + (size_t)i * f->fmt->word);
}

struct ctf_file_array
ctf_file_array(const struct ctf_file *f, const struct ctf_rec *r)
{
	const uint8_t *p = ctf_sect(f, CTF_SECT_TYPES) + r->data;
	unsigned w = f->fmt->word;

	return (struct ctf_file_array){ ctf_get_word(f, p),
		ctf_get_word(f, p + w), ctf_get32(f, p + 2 * w) };
}

struct ctf_file_slice
ctf_file_slice(const struct ctf_file *f, const struct ctf_rec *r)
{
	const uint8_t *p = ctf_sect(f, CTF_SECT_TYPES) + r->data;

	return (struct ctf_file_slice){ ctf_get32(f, p), ctf_get16(f, p + 4),
		ctf_get16(f, p + 6) };
}

/* ---- first pass ---------------------------------------------------------- */

static int
bad_type(struct ctf_file *f, uint32_t off, const char *what)
{
	return ctf_bad(f, CTF_SECT_TYPES, off, "%s", what);
}

static bool
is_kind_of(const struct ctf_file *f, unsigned kind)
{
	return ctf_kind_info(kind)->name != NULL &&
	    (kind != CTF_K_SLICE || f->h.format == CTF_FMT_GNU);
}

/*
 * Check the lengths of the record at `off`.  Returns where the next one begins,
 * or 0 (ctf_bad()).
 */
static uint32_t
measure(struct ctf_file *f, uint32_t off)
{
	uint32_t end = ctf_sect_len(f, CTF_SECT_TYPES);
	struct ctf_rec r;
	uint64_t len;

	if (end - off < 4u + 2u * f->fmt->word)
		return bad_type(f, off, "the last record is cut off"), 0;
	read_head(f, off, &r);
	if (!is_kind_of(f, r.kind)) {
		ctf_bad(f, CTF_SECT_TYPES, off, "there is no kind %u", r.kind);
		return 0;
	}
	if (has_large_size(f, &r)) {
		if (end - r.data < 8)
			return bad_type(f, off,
				   "its 64-bit size is cut "
				   "off"),
			       0;
		read_large_size(f, &r);
	}
	len = data_len(f, &r);
	if (len > end - r.data) {
		ctf_bad(f, CTF_SECT_TYPES, off,
		    "%u %s of %s go beyond the "
		    "end of the section",
		    r.vlen, r.vlen == 1 ? "element" : "elements",
		    ctf_kind_info(r.kind)->name);
		return 0;
	}
	return r.data + (uint32_t)len;
}

static int
find_records(struct ctf_file *f)
{
	uint32_t end = ctf_sect_len(f, CTF_SECT_TYPES);

	for (uint32_t off = 0, next; off < end; off = next) {
		next = measure(f, off);
		if (next == 0)
			return -1;
		if (f->recs.n + 1 >= f->fmt->child)
			return bad_type(f, off,
			    "there are more types than "
			    "ids for them");
		VEC_PUSH(&f->recs, off);
	}
	return 0;
}

/* ---- second pass --------------------------------------------------------- */

int
ctf_check_ref(struct ctf_file *f, enum ctf_sect_id id, size_t off, uint32_t ref)
{
	const struct ctf_file *of = owner(f, ref);
	bool is_child = ctf_header_is_child(&f->h);

	if (ref == 0 || of == NULL)
		return 0;
	if (!is_child && (ref & f->fmt->child) != 0)
		return ctf_bad(f, id, off,
		    "type 0x%x is a child's, but this "
		    "dictionary has no parent",
		    ref);
	if ((ref & ~f->fmt->child) == 0 || (ref & ~f->fmt->child) > of->recs.n)
		return ctf_bad(f, id, off, "type 0x%x, but the last is 0x%x",
		    ref, ctf_file_id(of, (uint32_t)of->recs.n));
	return 0;
}

/* A string reference in the data of a record. */
static int
check_name(struct ctf_file *f, uint32_t off)
{
	return ctf_check_str(f, CTF_SECT_TYPES, off,
	    ctf_get32(f, ctf_sect(f, CTF_SECT_TYPES) + off));
}

static int
check_encoding(struct ctf_file *f, const struct ctf_rec *r)
{
	uint32_t flags = r->encoding >> 24, first = r->encoding >> 16 & 0xff;
	uint32_t bits = r->encoding & 0xffff;

	if (r->kind == CTF_K_INTEGER && flags > 0xf)
		return ctf_bad(f, CTF_SECT_TYPES, r->data,
		    "integer with "
		    "unknown flags 0x%x",
		    flags);
	if (r->kind == CTF_K_FLOAT && (flags == 0 || flags > CTF_FLOAT_MAX))
		return ctf_bad(f, CTF_SECT_TYPES, r->data,
		    "there is no "
		    "floating point form %u",
		    flags);
	if (first + bits > 8 * r->size)
		return ctf_bad(f, CTF_SECT_TYPES, r->data,
		    "bits %u to %u of "
		    "a number of %llu bytes",
		    first, first + bits, (unsigned long long)r->size);
	return 0;
}

static int
check_members(struct ctf_file *f, const struct ctf_rec *r)
{
	for (uint32_t i = 0; i < r->vlen; i++) {
		uint32_t off = r->data + i * member_len(f, r);
		struct ctf_file_member m;

		if (check_name(f, off) != 0)
			return -1;
		m = ctf_file_member(f, r, i);
		if (ctf_check_ref(f, CTF_SECT_TYPES, off, m.type) != 0)
			return -1;
		if (m.bit_off / 8 > r->size)
			return ctf_bad(f, CTF_SECT_TYPES, off,
			    "member '%s' at "
			    "bit %llu of %llu bytes",
			    m.name, (unsigned long long)m.bit_off,
			    (unsigned long long)r->size);
	}
	return 0;
}

static int
check_enums(struct ctf_file *f, const struct ctf_rec *r)
{
	for (uint32_t i = 0; i < r->vlen; i++) {
		if (check_name(f, r->data + 8 * i) != 0)
			return -1;
	}
	return 0;
}

static int
check_args(struct ctf_file *f, const struct ctf_rec *r)
{
	for (uint32_t i = 0; i < r->vlen; i++) {
		if (ctf_check_ref(f, CTF_SECT_TYPES, r->data + i * f->fmt->word,
			ctf_file_arg(f, r, i)) != 0)
			return -1;
	}
	return 0;
}

static int
check_array(struct ctf_file *f, const struct ctf_rec *r)
{
	struct ctf_file_array a = ctf_file_array(f, r);

	if (ctf_check_ref(f, CTF_SECT_TYPES, r->data, a.contents) != 0)
		return -1;
	return ctf_check_ref(
	    f, CTF_SECT_TYPES, r->data + f->fmt->word, a.index);
}

static int
check_slice(struct ctf_file *f, const struct ctf_rec *r)
{
	struct ctf_file_slice s = ctf_file_slice(f, r);

	if (s.bit_off + s.bits > 128)
		return ctf_bad(f, CTF_SECT_TYPES, r->data + 4,
		    "a slice of "
		    "bits %u to %u; no integer has so many",
		    s.bit_off, s.bit_off + s.bits);
	return ctf_check_ref(f, CTF_SECT_TYPES, r->data, s.type);
}

static int
check_data(struct ctf_file *f, const struct ctf_rec *r)
{
	switch (ctf_kind_info(r->kind)->data) {
	case CTF_DATA_NOTHING:
		return 0;
	case CTF_DATA_ENCODING:
		return check_encoding(f, r);
	case CTF_DATA_ARRAY:
		return check_array(f, r);
	case CTF_DATA_ARGS:
		return check_args(f, r);
	case CTF_DATA_MEMBERS:
		return check_members(f, r);
	case CTF_DATA_ENUMS:
		return check_enums(f, r);
	case CTF_DATA_SLICE:
		return check_slice(f, r);
	}
	return 0;
}

static int
check_field(struct ctf_file *f, const struct ctf_rec *r)
{
	uint32_t off = r->off + 4 + f->fmt->word;

	if (ctf_kind_info(r->kind)->field == CTF_FIELD_TYPE)
		return ctf_check_ref(f, CTF_SECT_TYPES, off, r->ref);
	if (ctf_kind_info(r->kind)->field == CTF_FIELD_TAG && r->ref != 0 &&
	    r->ref != CTF_K_STRUCT && r->ref != CTF_K_UNION &&
	    r->ref != CTF_K_ENUM)
		return ctf_bad(f, CTF_SECT_TYPES, off,
		    "kind %u cannot be "
		    "declared forward",
		    r->ref);
	return 0;
}

static int
check_record(struct ctf_file *f, uint32_t off)
{
	struct ctf_rec r;

	if (check_name(f, off) != 0)
		return -1;
	read_rec(f, off, &r);
	return check_field(f, &r) != 0 ? -1 : check_data(f, &r);
}

static int
check_records(struct ctf_file *f)
{
	VEC_FOREACH(&f->recs, off) {
		if (check_record(f, *off) != 0)
			return -1;
	}
	return 0;
}

int
ctf_check_types(struct ctf_file *f)
{
	return find_records(f) != 0 ? -1 : check_records(f);
}

int
ctf_file_set_parent(
    struct ctf_file *f, const struct ctf_file *parent, struct err *err)
{
	f->parent = parent;
	if (parent->fmt == f->fmt && check_records(f) == 0 &&
	    ctf_check_symbols(f) == 0)
		return 0;
	f->parent = NULL;
	if (!err_is_set(&f->err))
		return err_set(err, -EINVAL, "%s has a parent in %s",
		    f->fmt->name, parent->fmt->name);
	return err_move(err, &f->err);
}
