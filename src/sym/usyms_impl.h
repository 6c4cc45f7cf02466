/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SYM_USYMS_IMPL_H
#define SYM_USYMS_IMPL_H

/*
 * Shared by the files of usyms.
 *
 *	process --> images, by time --> mappings, by time --> file --> symbols
 *	            (an exec begins one)
 *
 * A forked child has its parent's image until one of them changes it.
 * Mappings are never removed: of two that overlap, the newer one counts.
 */
#include "base/str.h"
#include "base/vec.h"
#include "sym/proc_maps.h"
#include "sym/usyms.h"

struct ufile_id {
	uint64_t dev, ino, generation; /* 0: no file, or not known */
	const char *path;
};

/* A mapped file, or the "file" of mappings without one. */
struct ufile {
	struct ufile_id id; /* its path is in usyms.strs */
	const char *name;   /* the part after the last slash */
	int fd;		    /* kept open: cannot be found by path later */
	bool is_read;
	pid_t failed;	       /* the last process in which it was not found */
	struct elf_syms *syms; /* owned by the cache; NULL: none */
};

struct umap {
	uint64_t start, end, off;
	uint64_t time; /* 0: before we first looked */
	uint32_t file;
	bool is_exec;
};

struct uimage {
	unsigned refs;
	VEC(struct umap) maps; /* later ones cover earlier ones */
};

struct uproc {
	struct uproc *next; /* next in the hash bucket */
	pid_t pid;
	VEC(struct uproc_image {
		uint64_t time; /* 0: before we first looked */
		struct uimage *image;
	})
	images;	       /* at least one; the last is the newest */
	bool is_known; /* maps has all of the last image's */
	bool is_dead;
	uint64_t changed;     /* time of the last change */
	uint32_t gen;	      /* number of changes */
	uint64_t read_ns;     /* when /proc was last read */
	struct elf_syms *jit; /* symbols of the perf map, or NULL */
	uint64_t jit_size;    /* size of that file */
	uint64_t jit_ns;      /* when the file was last checked */
};

#define UPROC_BUCKETS 4096
#define UCACHE_SIZE 32768 /* a power of 2 */

/* A cached look-up, valid while its process does not change. */
struct ucached {
	const struct uproc *proc; /* NULL: empty */
	uint64_t addr;
	uint32_t gen;
	bool is_found;
	struct usym sym;
};

struct ukeys;

struct usyms {
	struct sym_cache *sc;
	struct sideband *sb; /* NULL: not followed */
	bool demangle;
	struct strtab strs; /* paths, and names that no table owns */
	VEC(struct ufile) files;
	uint32_t *file_slots; /* hash: indices plus 1 */
	size_t nfile_slots;
	unsigned npinned;
	struct uproc *buckets[UPROC_BUCKETS];
	VEC(pid_t) dead;       /* in order of their ends */
	struct ucached *cache; /* [UCACHE_SIZE], or NULL: not yet */
	struct ukeys *keys;    /* ukeys.c; NULL: not yet */
	int error;	       /* see usyms_take_error() */
};

/* usyms.c: note the errno of what could not be read, if dtrace itself is to
 * blame: other errnos say that there is nothing that could be read. */
void usyms_note_error(struct usyms *us, int err);

/* uproc.c */
struct uproc *uproc_find(const struct usyms *us, pid_t pid);
/* The process, with all that is known of it now; NULL: nothing is known. */
struct uproc *uproc_get(struct usyms *us, pid_t pid, uint64_t time_ns);
/* Read /proc again, unless that was just done. Returns true if it was read. */
bool uproc_refresh(struct usyms *us, struct uproc *p);
/* The mapping at an address at a time (USYM_NOW: the last), or NULL. */
const struct umap *uproc_map(
    const struct uproc *p, uint64_t addr, uint64_t time_ns);
void uproc_follow(struct usyms *us, struct sideband *sb);
void uprocs_fini(struct usyms *us);

/* ufile.c */
/* The index of the file that the process mapped just now. */
uint32_t ufile_add(struct usyms *us, const struct ufile_id *id, pid_t pid);
bool ufile_is_vdso(const struct ufile *f);
struct elf_syms *ufile_syms(
    struct usyms *us, pid_t pid, const struct umap *map);
void ufiles_fini(struct usyms *us);

/* perf_map.c: functions that a JIT compiler wrote to its perf map. */
struct elf_syms *uproc_jit(struct uproc *p);
/* Parse the map's text; takes ownership of it. */
struct elf_syms *perf_map_parse(struct strbuf *text);

/* ukeys.c */
void ukeys_destroy(struct ukeys *uk);

#endif
