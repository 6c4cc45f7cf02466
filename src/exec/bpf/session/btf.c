/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two uses of BTF: the offset of a member of a kernel structure (read only
 * when a script asks, since reading costs milliseconds), and the type
 * description that the kernel requires to create task storage.
 */
#include "exec/bpf/bpf_impl.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "ctf/btf.h"

static struct btf_blob *
kernel_btf(struct bx_layout *lo)
{
	if (lo->btf == NULL) {
		err_clear(&lo->btf_error);
		lo->btf = btf_blob_open(
		    "/sys/kernel/btf/vmlinux", NULL, &lo->btf_error);
	}
	return lo->btf;
}

void
bx_kernel_close(struct bx_layout *lo)
{
	btf_blob_close(lo->btf);
	lo->btf = NULL;
	err_clear(&lo->btf_error);
}

int
bx_kernel_offset(
    struct bx_layout *lo, const char *type, const char *member, uint64_t *off)
{
	struct btf_blob *b = kernel_btf(lo);
	int64_t bits;

	if (b == NULL)
		return -EIO;
	bits = btf_blob_member(b, type, member);
	if (bits < 0)
		return -ENOENT;
	*off = (uint64_t)bits / 8;
	return 0;
}

int
bx_kernel_types(struct bx_layout *lo, struct bx_ktype *want, size_t n)
{
	struct btf_blob *b = kernel_btf(lo);
	int rc = b == NULL ? -EIO : 0;

	for (size_t i = 0; i < n && rc == 0; i++) {
		want[i].id = btf_blob_find(b, want[i].kind, want[i].name);
		if (want[i].id == 0)
			rc = -ENOENT;
	}
	return rc;
}

int
bx_storage_btf(uint32_t size, uint32_t *key_id, uint32_t *value_id)
{
	struct btf *btf = btf__new_empty();
	int word, key, value, fd, rc;

	if (btf == NULL)
		return -errno;
	key = btf__add_int(btf, "key", 4, BTF_INT_SIGNED);
	word = btf__add_int(btf, "word", 8, 0);
	value = btf__add_array(btf, key, word, size / 8);
	rc = key < 0 ? key : word < 0 ? word : value;
	if (rc >= 0)
		rc = btf__load_into_kernel(btf);
	if (rc < 0) {
		btf__free(btf);
		return rc;
	}
	*key_id = (uint32_t)key;
	*value_id = (uint32_t)value;
	fd = dup(btf__fd(btf));
	btf__free(btf);
	return fd < 0 ? -errno : fd;
}
