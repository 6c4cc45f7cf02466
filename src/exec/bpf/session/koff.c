/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Offsets of kernel structures' members: the constants rtc_NAME of
 * runtime/rt_koffs.def.  The linker gets them from the running kernel's BTF
 * when it meets one.
 */
#include "exec/bpf/bpf_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const struct koff {
	const char *sym, *type, *member, *what;
} koffs[] = {
#define RT_KOFF(name, type, member, what) { "rtc_" #name, type, member, what },
#include "exec/runtime/rt_koffs.def"
#undef RT_KOFF
};

static void
refuse(struct bx_exec *x, const struct koff *k, int rc)
{
	free(x->link_error);
	if (rc == -ENOENT)
		x->link_error = mem_printf("%s: not available: this kernel's "
					   "types (BTF) have no member %s.%s",
		    k->what, k->type, k->member);
	else
		x->link_error =
		    mem_printf("%s: not available: the kernel's "
			       "types (/sys/kernel/btf/vmlinux) cannot be "
			       "read: %s",
			k->what, err_text(&x->lo.btf_error));
}

/* Find "member" or "member+8", a text of `len` bytes. */
static int
find_one(struct bx_layout *lo, const char *type, const char *text, size_t len,
    uint64_t *value)
{
	size_t plus = strcspn(text, "+|");
	char *member = mem_strndup(text, plus);
	int rc = bx_kernel_offset(lo, type, member, value);

	free(member);
	if (rc == 0 && plus < len)
		*value += strtoul(text + plus + 1, NULL, 10);
	return rc;
}

/* Find the first of the names that the type has. */
static int
find_any(struct bx_layout *lo, const struct koff *k, uint64_t *value)
{
	const char *name = k->member;
	int rc;

	do {
		size_t len = strcspn(name, "|");

		*value = 0;
		if (strcmp(name, "-") == 0)
			return 0;
		rc = find_one(lo, k->type, name, len, value);
		name += len + (name[len] == '|');
	} while (rc == -ENOENT && *name != '\0');
	return rc;
}

int
bx_koff(struct bx_exec *x, const char *sym, uint64_t *value)
{
	for (size_t i = 0; i < sizeof(koffs) / sizeof(koffs[0]); i++) {
		int rc;

		if (strcmp(koffs[i].sym, sym) != 0)
			continue;
		rc = find_any(&x->lo, &koffs[i], value);
		if (rc != 0)
			refuse(x, &koffs[i], rc);
		return rc;
	}
	return -ENOENT;
}
