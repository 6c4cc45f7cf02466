/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses of symbols as keys of aggregations.
 *
 * A process can have one symbol at several addresses: each exec loads its files
 * anew, and JIT compilers move functions.  The first address seen of a symbol
 * stands for all of them.  If another symbol has that key already (in another
 * image of the process), the next free address does.
 *
 *	what:  (process, kind, module, name, address in the file) -> row
 *	key:   (process, kind, key) -> row
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "sym/usyms_impl.h"

struct what {
	uint64_t vaddr;
	const char *path, *name; /* equal names are one string */
	uint64_t pid_kind;
};

struct ukeys_row {
	struct what what;
	uint64_t key;
	struct usym sym;
};

struct ukeys {
	VEC(struct ukeys_row) rows;
	uint32_t *by_what, *by_key; /* hashes: indices of rows plus 1 */
	size_t nslots;
};

void
ukeys_destroy(struct ukeys *uk)
{
	if (uk == NULL)
		return;
	VEC_FREE(&uk->rows);
	free(uk->by_what);
	free(uk->by_key);
	free(uk);
}

static uint64_t
pid_kind(pid_t pid, enum usym_key kind)
{
	return (uint64_t)(uint32_t)pid << 1 | kind;
}

static uint32_t *
slot_of_what(const struct ukeys *uk, const struct what *what)
{
	size_t i = hash_bytes(what, sizeof(*what)) & (uk->nslots - 1);

	while (uk->by_what[i] != 0 &&
	    memcmp(what, &uk->rows.v[uk->by_what[i] - 1].what, sizeof(*what)) !=
		0)
		i = (i + 1) & (uk->nslots - 1);
	return &uk->by_what[i];
}

static uint32_t *
slot_of_key(const struct ukeys *uk, uint64_t pk, uint64_t key)
{
	uint64_t id[] = { pk, key };
	size_t i = hash_bytes(id, sizeof(id)) & (uk->nslots - 1);

	for (; uk->by_key[i] != 0; i = (i + 1) & (uk->nslots - 1)) {
		const struct ukeys_row *r = &uk->rows.v[uk->by_key[i] - 1];

		if (r->what.pid_kind == pk && r->key == key)
			break;
	}
	return &uk->by_key[i];
}

static void
grow(struct ukeys *uk)
{
	uk->nslots = uk->nslots != 0 ? 2 * uk->nslots : 1024;
	free(uk->by_what);
	free(uk->by_key);
	uk->by_what = mem_alloc(uk->nslots * sizeof(uint32_t));
	uk->by_key = mem_alloc(uk->nslots * sizeof(uint32_t));
	for (uint32_t i = 0; i < uk->rows.n; i++) {
		const struct ukeys_row *r = &uk->rows.v[i];

		*slot_of_what(uk, &r->what) = i + 1;
		*slot_of_key(uk, r->what.pid_kind, r->key) = i + 1;
	}
}

static const struct ukeys_row *
add(struct ukeys *uk, const struct what *what, uint64_t key,
    const struct usym *sym)
{
	struct ukeys_row r = { .what = *what, .key = key, .sym = *sym };

	while (*slot_of_key(uk, what->pid_kind, r.key) != 0)
		r.key++;
	VEC_PUSH(&uk->rows, r);
	*slot_of_what(uk, what) = (uint32_t)uk->rows.n;
	*slot_of_key(uk, what->pid_kind, r.key) = (uint32_t)uk->rows.n;
	return &uk->rows.v[uk->rows.n - 1];
}

/*
 * The properties that all addresses with one key share.  Code of a JIT compiler
 * is in no file, and moves.
 */
static struct what
what_of(struct usyms *us, pid_t pid, const struct usym *sym, enum usym_key kind)
{
	struct what w = { .pid_kind = pid_kind(pid, kind) };

	w.path = strtab_str(&us->strs,
	    strtab_intern(
		&us->strs, sym->path[0] != '\0' ? sym->path : sym->module));
	if (kind == USYM_KEY_SYMBOL) {
		w.name =
		    strtab_str(&us->strs, strtab_intern(&us->strs, sym->name));
		w.vaddr = sym->vaddr;
	}
	return w;
}

uint64_t
usyms_key(struct usyms *us, pid_t pid, uint64_t addr, enum usym_key kind)
{
	struct usym sym;
	struct what what;
	uint32_t num;

	if (!usyms_find(us, pid, addr, USYM_NOW, &sym) ||
	    (kind == USYM_KEY_SYMBOL && sym.name == NULL))
		return addr;
	if (us->keys == NULL)
		us->keys = mem_alloc(sizeof(*us->keys));
	if (2 * (us->keys->rows.n + 1) > us->keys->nslots)
		grow(us->keys);
	what = what_of(us, pid, &sym, kind);
	num = *slot_of_what(us->keys, &what);
	if (num != 0)
		return us->keys->rows.v[num - 1].key;
	sym.offset = 0;
	return add(us->keys, &what,
	    kind == USYM_KEY_SYMBOL ? sym.symbol : sym.base, &sym)
	    ->key;
}

bool
usyms_find_key(struct usyms *us, pid_t pid, uint64_t key, enum usym_key kind,
    struct usym *sym)
{
	uint32_t num = us->keys == NULL ?
	    0 :
	    *slot_of_key(us->keys, pid_kind(pid, kind), key);

	if (num == 0)
		return usyms_find(us, pid, key, USYM_NOW, sym);
	*sym = us->keys->rows.v[num - 1].sym;
	return true;
}
