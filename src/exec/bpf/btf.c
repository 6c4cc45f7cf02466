/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two uses of BTF: where a member of a kernel structure is (only read when
 * a script asks: it costs milliseconds), and the type description without which
 * the kernel creates no task storage.
 */
#include "exec/bpf/bpf_impl.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The kernel's BTF, mapped where the kernel can (6.16), else read. */
struct kbtf {
	const char *data;
	size_t len;
	bool mapped;
	const char *types, *types_end;
	const char *strs;
	uint32_t strs_len;
};

static int
read_all(int fd, struct kbtf *kb)
{
	char *buf = malloc(kb->len);
	size_t got = 0;

	while (buf != NULL && got < kb->len) {
		ssize_t n = read(fd, buf + got, kb->len - got);

		if (n <= 0) {
			free(buf);
			return -EIO;
		}
		got += (size_t)n;
	}
	kb->data = buf;
	return buf != NULL ? 0 : -ENOMEM;
}

static void
kbtf_close(struct kbtf *kb)
{
	if (kb->mapped)
		munmap((void *)(uintptr_t)kb->data, kb->len);
	else
		free((void *)(uintptr_t)kb->data);
}

static int
kbtf_sections(struct kbtf *kb)
{
	const struct btf_header *h = (const void *)kb->data;
	uint64_t types, strs;

	if (kb->len < sizeof(*h) || h->magic != BTF_MAGIC)
		return -EINVAL;
	types = (uint64_t)h->hdr_len + h->type_off;
	strs = (uint64_t)h->hdr_len + h->str_off;
	if (types + h->type_len > kb->len || strs + h->str_len > kb->len ||
	    h->str_len == 0 || kb->data[strs + h->str_len - 1] != '\0')
		return -EINVAL;
	kb->types = kb->data + types;
	kb->types_end = kb->types + h->type_len;
	kb->strs = kb->data + strs;
	kb->strs_len = h->str_len;
	return 0;
}

static int
kbtf_open(struct kbtf *kb)
{
	int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY | O_CLOEXEC), rc = 0;
	struct stat st;
	void *p;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) != 0) {
		close(fd);
		return -EIO;
	}
	kb->len = (size_t)st.st_size;
	p = mmap(NULL, kb->len, PROT_READ, MAP_PRIVATE, fd, 0);
	kb->mapped = p != MAP_FAILED;
	if (kb->mapped)
		kb->data = p;
	else
		rc = read_all(fd, kb);
	close(fd);
	if (rc == 0 && (rc = kbtf_sections(kb)) != 0)
		kbtf_close(kb);
	return rc;
}

static const char *
kbtf_name(const struct kbtf *kb, uint32_t off)
{
	return off < kb->strs_len ? kb->strs + off : "";
}

/* Bytes behind struct btf_type, by kind (Documentation/bpf/btf.rst). */
static size_t
type_tail(const struct btf_type *t)
{
	size_t n = btf_vlen(t);

	switch (btf_kind(t)) {
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
	case BTF_KIND_FUNC_PROTO:
		return n * 8;
	case BTF_KIND_ENUM64:
	case BTF_KIND_DATASEC:
		return n * 12;
	default:
		return 0;
	}
}

static const struct btf_type *
type_next(const struct kbtf *kb, const struct btf_type *t)
{
	const char *p = (const char *)(t + 1) + type_tail(t);

	if (p + sizeof(*t) > kb->types_end)
		return NULL;
	t = (const void *)p;
	return p + sizeof(*t) + type_tail(t) <= kb->types_end ? t : NULL;
}

static const struct btf_type *
type_by_id(const struct kbtf *kb, uint32_t id)
{
	const struct btf_type *t = (const void *)kb->types;

	while (t != NULL && id-- > 1)
		t = type_next(kb, t);
	return t;
}

/* Bit offset of a member, through unnamed structures and unions; -1: none. */
static int64_t
member_bits(const struct kbtf *kb, const struct btf_type *t, const char *name,
    int depth)
{
	const struct btf_member *m = btf_members(t);

	for (uint32_t i = 0; i < btf_vlen(t); i++, m++) {
		const char *mname = kbtf_name(kb, m->name_off);
		int64_t off = (int64_t)btf_member_bit_offset(t, i);
		const struct btf_type *mt;
		int64_t inner;

		if (strcmp(mname, name) == 0)
			return off;
		if (*mname != '\0' || depth == 0 ||
		    (mt = type_by_id(kb, m->type)) == NULL ||
		    !btf_is_composite(mt))
			continue;
		inner = member_bits(kb, mt, name, depth - 1);
		if (inner >= 0)
			return off + inner;
	}
	return -1;
}

int
bx_kernel_offset(const char *type, const char *member, uint64_t *off)
{
	const struct btf_type *t;
	struct kbtf kb;
	int64_t bits = -1;
	int rc = kbtf_open(&kb);

	if (rc != 0)
		return rc;
	for (t = (const void *)kb.types; t != NULL; t = type_next(&kb, t)) {
		if (btf_is_struct(t) &&
		    strcmp(kbtf_name(&kb, t->name_off), type) == 0)
			break;
	}
	if (t != NULL)
		bits = member_bits(&kb, t, member, 4);
	kbtf_close(&kb);
	if (bits < 0)
		return -ENOENT;
	*off = (uint64_t)bits / 8;
	return 0;
}

int
bx_kernel_types(struct bx_ktype *want, size_t n)
{
	struct kbtf kb;
	uint32_t id = 1;
	size_t left = n;
	int rc = kbtf_open(&kb);

	if (rc != 0)
		return rc;
	for (const struct btf_type *t = (const void *)kb.types;
	    t != NULL && left > 0; t = type_next(&kb, t), id++) {
		for (size_t i = 0; i < n; i++) {
			if (want[i].id == 0 && btf_kind(t) == want[i].kind &&
			    strcmp(kbtf_name(&kb, t->name_off),
				want[i].name) == 0) {
				want[i].id = id;
				left--;
			}
		}
	}
	kbtf_close(&kb);
	return left == 0 ? 0 : -ENOENT;
}

int
bx_storage_btf(uint32_t size, uint32_t *key_id, uint32_t *value_id)
{
	struct btf *btf = btf__new_empty();
	int word, key, value, fd;

	if (btf == NULL)
		return -ENOMEM;
	key = btf__add_int(btf, "key", 4, BTF_INT_SIGNED);
	word = btf__add_int(btf, "word", 8, 0);
	value = btf__add_array(btf, key, word, size / 8);
	if (key < 0 || word < 0 || value < 0 || btf__load_into_kernel(btf)) {
		btf__free(btf);
		return -EINVAL;
	}
	*key_id = (uint32_t)key;
	*value_id = (uint32_t)value;
	fd = dup(btf__fd(btf));
	btf__free(btf);
	return fd < 0 ? -errno : fd;
}
