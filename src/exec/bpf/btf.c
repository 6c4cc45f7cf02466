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
#include <string.h>
#include <unistd.h>

/* Bit offset of a member, through unnamed structures and unions; -1: none. */
static int64_t
member_bits(const struct btf *btf, const struct btf_type *t, const char *name,
    int depth)
{
	const struct btf_member *m = btf_members(t);

	for (int i = 0; i < btf_vlen(t); i++, m++) {
		const char *mname = btf__name_by_offset(btf, m->name_off);
		int64_t off = (int64_t)btf_member_bit_offset(t, (uint32_t)i);
		const struct btf_type *mt = btf__type_by_id(btf, m->type);
		int64_t inner;

		if (mname != NULL && strcmp(mname, name) == 0)
			return off;
		if ((mname != NULL && *mname != '\0') || mt == NULL ||
		    depth == 0 || !btf_is_composite(mt))
			continue;
		inner = member_bits(btf, mt, name, depth - 1);
		if (inner >= 0)
			return off + inner;
	}
	return -1;
}

int
bx_kernel_offset(const char *type, const char *member, uint64_t *off)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int64_t bits = -1;
	int id;

	if (btf == NULL)
		return -errno;
	id = btf__find_by_name_kind(btf, type, BTF_KIND_STRUCT);
	if (id > 0)
		bits = member_bits(btf, btf__type_by_id(btf, (uint32_t)id),
		    member, 4);
	btf__free(btf);
	if (bits < 0)
		return -ENOENT;
	*off = (uint64_t)bits / 8;
	return 0;
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
