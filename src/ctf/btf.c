/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BTF files.  A record's place is known only from the records before it, so
 * they are checked and noted in order, as far as needed: struct task_struct,
 * which most scripts use, is near the beginning of the kernel's 130,000 types.
 * The names of a kind are hashed at the second look-up.
 */
#include "ctf/btf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"

/* So all sums of offsets and numbers fit 32 bits. */
#define MAX_SIZE (512 << 20)

/* Open addressing; as many slots as a power of two, at most half of them full.
 */
struct name_index {
	uint32_t *ids; /* 0: free */
	uint32_t nslots;
	bool was_asked;
};

struct btf_blob {
	struct btf_blob *base;
	const char *data;
	size_t len;
	bool is_mapped;
	const char *types;
	uint32_t types_len;
	const char *strs;
	uint32_t strs_len;
	uint32_t first_id, first_str; /* behind the base's */
	VEC(uint32_t) offs;	      /* of own types, by number - first_id */
	uint32_t found;		      /* the records before this are in offs */
	char *problem;		      /* of that record; or NULL */
	struct name_index index[BTF_NKINDS];
};

/* ---- opening ------------------------------------------------------------- */

/* Bytes behind struct btf_type, by kind. */
static uint64_t
tail_size(const struct btf_type *t)
{
	uint64_t n = btf_type_vlen(t);

	switch (btf_type_kind(t)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return 4;
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return n * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return n * sizeof(struct btf_enum);
	case BTF_KIND_FUNC_PROTO:
		return n * sizeof(struct btf_param);
	case BTF_KIND_ENUM64:
		return n * sizeof(struct btf_enum64);
	case BTF_KIND_DATASEC:
		return n * sizeof(struct btf_var_secinfo);
	default:
		return 0;
	}
}

/* The size of the record at `off`, or 0 with the problem noted. */
static uint64_t
check_record(struct btf_blob *b, uint32_t off)
{
	const struct btf_type *t = (const void *)(b->types + off);
	uint64_t left = b->types_len - off, size = sizeof(*t);
	uint32_t id = b->first_id + (uint32_t)b->offs.n;

	if (left >= size)
		size += tail_size(t);
	if (left < size)
		b->problem =
		    mem_printf("type %u at offset %u is cut off", id, off);
	else if (btf_type_kind(t) == 0 || btf_type_kind(t) >= BTF_NKINDS)
		b->problem = mem_printf("type %u at offset %u has the unknown "
					"kind %u",
		    id, off, btf_type_kind(t));
	else if (t->name_off >= b->first_str + b->strs_len)
		b->problem = mem_printf("the name of type %u at offset %u lies "
					"beyond the strings",
		    id, off);
	else
		return size;
	return 0;
}

/* Note the next record; false at the end, or behind a malformed record. */
static bool
find_next(struct btf_blob *b)
{
	uint64_t size;

	if (b->found == b->types_len)
		return false;
	size = check_record(b, b->found);
	if (size == 0) {
		b->types_len = b->found;
		return false;
	}
	if (b->offs.n == b->offs.cap)
		VEC_RESERVE(&b->offs, b->offs.n * 2 + 4096);
	VEC_PUSH(&b->offs, b->found);
	b->found += (uint32_t)size;
	return true;
}

static void
find_all(struct btf_blob *b)
{
	while (find_next(b))
		;
}

CHECKED static int
find_sections(struct btf_blob *b, struct err *err)
{
	const struct btf_header *h = (const void *)b->data;
	uint64_t types, strs;

	if (b->len < BTF_HEADER_LEN || h->magic != BTF_MAGIC ||
	    h->version != BTF_VERSION || h->hdr_len < BTF_HEADER_LEN)
		return err_set(err, -EINVAL,
		    "it has no BTF header of version 1 in this machine's byte order");
	types = (uint64_t)h->hdr_len + h->type_off;
	strs = (uint64_t)h->hdr_len + h->str_off;
	if (types + h->type_len > b->len || strs + h->str_len > b->len ||
	    types % 4 != 0)
		return err_set(err, -EINVAL,
		    "its sections lie outside of it or are not aligned");
	b->types = b->data + types;
	b->types_len = h->type_len;
	b->strs = b->data + strs;
	b->strs_len = h->str_len;
	/* a module may have no strings of its own */
	if (h->str_len == 0 ? b->base == NULL : b->strs[h->str_len - 1] != '\0')
		return err_set(
		    err, -EINVAL, "its strings do not end with a NUL");
	return 0;
}

CHECKED static struct btf_blob *
blob_create(const char *data, size_t len, bool is_mapped, struct btf_blob *base,
    struct err *err)
{
	struct btf_blob *b = mem_alloc(sizeof(*b));

	b->data = data;
	b->len = len;
	b->is_mapped = is_mapped;
	b->base = base;
	b->first_id = base != NULL ? btf_blob_end(base) : 1;
	b->first_str = base != NULL ? base->first_str + base->strs_len : 0;
	if (find_sections(b, err) != 0) {
		btf_blob_close(b);
		return NULL;
	}
	return b;
}

struct btf_blob *
btf_blob_copy(
    const void *data, size_t len, struct btf_blob *base, struct err *err)
{
	char *copy = len <= MAX_SIZE ? malloc(len + 1) : NULL;

	if (copy == NULL) {
		err_set(err, -ENOMEM, "no memory for its %zu bytes", len);
		return NULL;
	}
	memcpy(copy, data, len);
	return blob_create(copy, len, false, base, err);
}

/* Read the file if the kernel cannot map its BTF (before 6.16). */
CHECKED static struct btf_blob *
open_fd(int fd, bool may_map, struct btf_blob *base, struct err *err)
{
	void *map = MAP_FAILED;
	struct stat st;
	char *data;

	if (fstat(fd, &st) != 0) {
		err_set(err, -errno, "%s", strerror(errno));
		return NULL;
	}
	if (!S_ISREG(st.st_mode) || st.st_size > MAX_SIZE) {
		err_set(err, -EINVAL, "it is not a file of at most %u MB",
		    MAX_SIZE >> 20);
		return NULL;
	}
	if (may_map)
		map = mmap(NULL, (size_t)st.st_size, PROT_READ,
		    MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (map != MAP_FAILED)
		return blob_create(map, (size_t)st.st_size, true, base, err);
	errno = 0; /* it stays so if the file has become shorter */
	data = mem_read_file(fd, (size_t)st.st_size);
	if (data == NULL) {
		err_set(err, errno != 0 ? -errno : -EINVAL,
		    "it cannot be read%s%s", errno != 0 ? ": " : "",
		    errno != 0 ? strerror(errno) : "");
		return NULL;
	}
	return blob_create(data, (size_t)st.st_size, false, base, err);
}

struct btf_blob *
btf_blob_open(const char *path, struct btf_blob *base, struct err *err)
{
	/* any other file may be truncated while it is mapped */
	bool may_map = strncmp(path, "/sys/kernel/", 12) == 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct btf_blob *b;

	if (fd < 0) {
		err_set(err, -errno, "%s", strerror(errno));
		return NULL;
	}
	b = open_fd(fd, may_map, base, err);
	close(fd);
	return b;
}

void
btf_blob_close(struct btf_blob *b)
{
	if (b == NULL)
		return;
	for (unsigned i = 0; i < BTF_NKINDS; i++)
		free(b->index[i].ids);
	VEC_FREE(&b->offs);
	free(b->problem);
	if (b->is_mapped)
		munmap((void *)(uintptr_t)b->data, b->len);
	else
		free((void *)(uintptr_t)b->data);
	free(b);
}

/* ---- questions ----------------------------------------------------------- */

uint32_t
btf_blob_first(const struct btf_blob *b)
{
	return b->first_id;
}

uint32_t
btf_blob_end(struct btf_blob *b)
{
	find_all(b);
	return b->first_id + (uint32_t)b->offs.n;
}

const char *
btf_blob_problem(const struct btf_blob *b)
{
	return b->problem;
}

static const struct btf_type *
own_type(struct btf_blob *b, uint32_t i)
{
	return (const void *)(b->types + b->offs.v[i]);
}

const struct btf_type *
btf_blob_type(struct btf_blob *b, uint32_t id)
{
	while (id < b->first_id && b->base != NULL)
		b = b->base;
	if (id < b->first_id)
		return NULL;
	while (id - b->first_id >= b->offs.n) {
		if (!find_next(b))
			return NULL;
	}
	return own_type(b, id - b->first_id);
}

const char *
btf_blob_name(struct btf_blob *b, uint32_t off)
{
	while (off < b->first_str && b->base != NULL)
		b = b->base;
	if (off < b->first_str || off - b->first_str >= b->strs_len)
		return "";
	return b->strs + (off - b->first_str);
}

/* ---- names --------------------------------------------------------------- */

static bool
is_named(struct btf_blob *b, const struct btf_type *t, unsigned kind,
    const char *name)
{
	return btf_type_kind(t) == kind &&
	    strcmp(btf_blob_name(b, t->name_off), name) == 0;
}

/* The name's slot in the index, or the free one for it. */
static uint32_t *
index_slot(struct btf_blob *b, unsigned kind, const char *name)
{
	const struct name_index *x = &b->index[kind];
	uint64_t i = hash_bytes(name, strlen(name));

	for (;; i++) {
		uint32_t *slot = &x->ids[i & (x->nslots - 1)];

		if (*slot == 0 ||
		    is_named(b, btf_blob_type(b, *slot), kind, name))
			return slot;
	}
}

static uint32_t
count_kind(struct btf_blob *b, unsigned kind)
{
	uint32_t count = 0;

	find_all(b);
	for (uint32_t i = 0; i < b->offs.n; i++)
		count += btf_type_kind(own_type(b, i)) == kind;
	return count;
}

static void
index_kind(struct btf_blob *b, unsigned kind)
{
	struct name_index *x = &b->index[kind];
	uint32_t count = count_kind(b, kind);

	for (x->nslots = 2; x->nslots < 2 * count + 2;)
		x->nslots *= 2;
	x->ids = mem_alloc(x->nslots * sizeof(*x->ids));
	for (uint32_t i = 0; i < b->offs.n; i++) {
		const struct btf_type *t = own_type(b, i);
		uint32_t *slot;

		if (btf_type_kind(t) != kind || t->name_off == 0)
			continue;
		slot = index_slot(b, kind, btf_blob_name(b, t->name_off));
		if (*slot == 0)
			*slot = b->first_id + i;
	}
}

static uint32_t
scan_kind(struct btf_blob *b, unsigned kind, const char *name)
{
	const struct btf_type *t;

	for (uint32_t id = b->first_id; (t = btf_blob_type(b, id)) != NULL;
	     id++) {
		if (is_named(b, t, kind, name))
			return id;
	}
	return 0;
}

/* Most scripts ask once: build the index at the second look-up. */
uint32_t
btf_blob_find(struct btf_blob *b, unsigned kind, const char *name)
{
	struct name_index *x = &b->index[kind];

	if (*name == '\0')
		return 0;
	if (x->ids == NULL && !x->was_asked) {
		x->was_asked = true;
		return scan_kind(b, kind, name);
	}
	if (x->ids == NULL)
		index_kind(b, kind);
	return *index_slot(b, kind, name);
}

/* ---- members ------------------------------------------------------------- */

static uint32_t
member_off(const struct btf_type *t, const struct btf_member *m)
{
	return BTF_INFO_KFLAG(t->info) ? BTF_MEMBER_BIT_OFFSET(m->offset) :
					 m->offset;
}

static int64_t
find_member(
    struct btf_blob *b, const struct btf_type *t, const char *name, int depth)
{
	const struct btf_member *m = btf_type_tail(t);

	if (depth == 0 ||
	    (btf_type_kind(t) != BTF_KIND_STRUCT &&
		btf_type_kind(t) != BTF_KIND_UNION))
		return -1;
	for (uint32_t i = 0; i < btf_type_vlen(t); i++, m++) {
		const char *mname = btf_blob_name(b, m->name_off);
		const struct btf_type *mt;
		int64_t inner;

		if (strcmp(mname, name) == 0)
			return member_off(t, m);
		if (*mname != '\0' || (mt = btf_blob_type(b, m->type)) == NULL)
			continue;
		inner = find_member(b, mt, name, depth - 1);
		if (inner >= 0)
			return member_off(t, m) + inner;
	}
	return -1;
}

int64_t
btf_blob_member(struct btf_blob *b, const char *type, const char *member)
{
	uint32_t id = btf_blob_find(b, BTF_KIND_STRUCT, type);
	const struct btf_type *t;

	if (id == 0)
		id = btf_blob_find(b, BTF_KIND_TYPEDEF, type);
	t = btf_blob_type(b, id);
	if (t != NULL && btf_type_kind(t) == BTF_KIND_TYPEDEF)
		t = btf_blob_type(b, t->type);
	return t == NULL ? -1 : find_member(b, t, member, 4);
}
