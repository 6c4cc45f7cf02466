/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROVIDER_KERNEL_BTF_H
#define PROVIDER_KERNEL_BTF_H

/*
 * The kernel's types, for providers of the kernel's probes; they live as long
 * as the registry.
 */
#include "base/mem.h"
#include "ctf/btf.h"
#include "provider/provider_impl.h"

struct dt_kbtf;

struct dt_kbtf *dt_kbtf(struct dt_registry *r);
/* Why vmlinux has no BTF, or NULL. */
const char *dt_kbtf_problem(const struct dt_kbtf *k);
/* The errno of that; 0: none. */
int dt_kbtf_error(const struct dt_kbtf *k);
/* vmlinux (0; NULL when it has none), then the modules by name; NULL beyond. */
struct btf_blob *dt_kbtf_at(struct dt_kbtf *k, size_t i);
/* "vmlinux" or a module; NULL when there is none. */
struct btf_blob *dt_kbtf_module(struct dt_kbtf *k, const char *name);
/* A type as C text; "uint64_t" where C has no text for it. */
const char *dt_kbtf_text(struct arena *a, struct btf_blob *b, uint32_t id);

#endif
