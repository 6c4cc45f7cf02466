/* SPDX-License-Identifier: BSD-2-Clause */
#include "sym/sym_cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bounds.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/ownfailure.h"
#include "base/vec.h"
#include "sym/elf_read.h"

struct file_id {
	uint64_t dev, ino, size, mtime_ns, ctime_ns;
};

struct sym_cache_entry {
	struct file_id id;
	struct elf_syms *syms; /* NULL: see err */
	struct err err;
};

struct sym_cache_image {
	uint64_t hash;
	size_t len;
	struct elf_syms *syms;
};

struct sym_cache {
	VEC(struct sym_cache_entry) files;
	uint32_t *slots; /* hash by id: indices of files plus 1 */
	size_t nslots;
	VEC(struct sym_cache_image) images;
};

struct sym_cache *
sym_cache_create(void)
{
	return mem_alloc(sizeof(struct sym_cache));
}

void
sym_cache_destroy(struct sym_cache *sc)
{
	if (sc == NULL)
		return;
	VEC_FOREACH(&sc->files, e) {
		elf_syms_rele(e->syms);
		err_clear(&e->err);
	}
	VEC_FOREACH(&sc->images, im)
		elf_syms_rele(im->syms);
	VEC_FREE(&sc->files);
	VEC_FREE(&sc->images);
	free(sc->slots);
	free(sc);
}

static uint64_t
ns_of(struct timespec ts)
{
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static uint32_t *
slot_of(const struct sym_cache *sc, const struct file_id *id)
{
	size_t i = hash_bytes(id, sizeof(*id)) & (sc->nslots - 1);

	while (sc->slots[i] != 0 &&
	    memcmp(&sc->files.v[sc->slots[i] - 1].id, id, sizeof(*id)) != 0)
		i = (i + 1) & (sc->nslots - 1);
	return &sc->slots[i];
}

static void
grow(struct sym_cache *sc)
{
	free(sc->slots);
	sc->nslots = sc->nslots != 0 ? 2 * sc->nslots : 64;
	sc->slots = mem_alloc(sc->nslots * sizeof(*sc->slots));
	for (uint32_t i = 0; i < sc->files.n; i++)
		*slot_of(sc, &sc->files.v[i].id) = i + 1;
}

static const struct sym_cache_entry *
add(struct sym_cache *sc, const struct sym_cache_entry *e)
{
	if (2 * (sc->files.n + 1) > sc->nslots)
		grow(sc);
	VEC_PUSH(&sc->files, *e);
	*slot_of(sc, &e->id) = (uint32_t)sc->files.n;
	return &sc->files.v[sc->files.n - 1];
}

struct elf_syms *
sym_cache_file(struct sym_cache *sc, int fd, const char *path, const char *root,
    struct err *err)
{
	const struct sym_cache_entry *known;
	struct sym_cache_entry e = { 0 };
	struct stat st;

	if (fstat(fd, &st) != 0) {
		err_default(err, -errno);
		return NULL;
	}
	e.id = (struct file_id){ .dev = st.st_dev,
		.ino = st.st_ino,
		.size = (uint64_t)st.st_size,
		.mtime_ns = ns_of(st.st_mtim),
		.ctime_ns = ns_of(st.st_ctim) };
	if (sc->nslots != 0 && *slot_of(sc, &e.id) != 0) {
		known = &sc->files.v[*slot_of(sc, &e.id) - 1];
	} else {
		e.syms = elf_syms_read(fd, path, root, &e.err);
		if (e.syms == NULL && bounds_is_stopped()) {
			err_clear(&e.err);
			err_set(err, -EINTR, "%s", BOUNDS_STOPPED);
			return NULL;
		}
		if (e.syms == NULL && is_own_failure(-e.err.code)) {
			err_move(err, &e.err);
			return NULL;
		}
		known = add(sc, &e);
	}
	if (known->syms == NULL)
		err_set(err, known->err.code, "%s", err_text(&known->err));
	return known->syms;
}

struct elf_syms *
sym_cache_known(const struct sym_cache *sc, uint64_t dev, uint64_t ino)
{
	for (size_t i = sc->files.n; i > 0; i--) {
		const struct sym_cache_entry *e = &sc->files.v[i - 1];

		if (e->id.ino == ino && e->id.dev == dev)
			return e->syms;
	}
	return NULL;
}

struct elf_syms *
sym_cache_image(struct sym_cache *sc, const void *img, size_t len)
{
	struct sym_cache_image im = { .hash = hash_bytes(img, len),
		.len = len };
	struct err err = { 0 };

	VEC_FOREACH(&sc->images, known) {
		if (known->hash == im.hash && known->len == len)
			return known->syms;
	}
	im.syms = elf_syms_read_mem(img, len, &err);
	err_clear(&err);
	VEC_PUSH(&sc->images, im);
	return im.syms;
}
