/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSUME_KSYMS_H
#define CONSUME_KSYMS_H

/*
 * Kernel symbols: /proc/kallsyms, read on first use, and again when addresses
 * in modules loaded later are met.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct ksyms;
/*
 * Asked first for the name of an address; fills in *mod, *name and *offset, or
 * returns false.
 */
typedef bool ksyms_lookup_f(void *arg, uint64_t addr, const char **mod,
    const char **name, uint64_t *offset);
struct ksyms *ksyms_create(void);
/* The errno of a list of the kernel's that could not be read, once, or 0. */
int ksyms_take_error(struct ksyms *ks);
void ksyms_destroy(struct ksyms *ks);
/* Print all addresses as numbers. */
void ksyms_set_plain(struct ksyms *ks, bool is_plain);
/*
 * Read the symbols again when they are needed; names returned earlier become
 * invalid.
 */
void ksyms_forget(struct ksyms *ks);
void ksyms_set_lookup(struct ksyms *ks, ksyms_lookup_f *f, void *arg);
/* "vmlinux`vfs_read+0x10", "vmlinux`vfs_read", or "0xffff..." */
void ksyms_format(struct ksyms *ks, uint64_t addr, struct strbuf *out);
/*
 * One address for the whole module that contains addr: its lowest or, if only
 * the lookup function knows the module, the first that was asked for.
 */
uint64_t ksyms_module_addr(struct ksyms *ks, const char *mod, uint64_t addr);
/*
 * As ksyms_format(), in parts that are valid as long as ks; false: no symbol
 * contains the address.
 */
struct ksym_name {
	const char *module, *name;
	uint64_t offset;
	bool is_data;
};
bool ksyms_find_name(struct ksyms *ks, uint64_t addr, struct ksym_name *found);

#endif
