/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>
#include <stdint.h>

/*
 * Memory.
 *
 * Small allocations (nodes, names, tables that grow with the script) either
 * succeed or end the process with a message: Linux overcommits, so a failing
 * malloc() of a few bytes means that the machine is already lost, and error
 * paths that no test ever takes are where bugs live.  Objects whose size the
 * user chooses (buffers, maps, files) are never allocated here: their sizes are
 * checked and failures reported.
 */
void *mem_alloc(size_t size); /* zeroed */
/*
 * Called once before the process ends so, for one that holds another: f need
 * not return, and allocates nothing.
 */
void mem_at_failure(void (*f)(void *arg), void *arg);
/* End the process so, since a library has no memory and cannot go on. */
_Noreturn void mem_end(const char *library);
void *mem_realloc(void *p, size_t size); /* new bytes are not zeroed */
char *mem_strdup(const char *s);
char *mem_strndup(const char *s, size_t n);
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * An arena: objects that live as long as one phase are freed together.  Memory
 * is zeroed and aligned to 16 bytes.
 */
struct arena {
	struct arena_block *blocks;
	char *cur, *end; /* free part of the latest block */
	size_t block_size;
};

void arena_init(struct arena *a);
void arena_fini(struct arena *a);
void *arena_alloc(struct arena *a, size_t size);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The bytes of the machine's memory. */
uint64_t mem_physical(void);

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))

/*
 * The first `len` bytes of a file (malloced), or NULL if it has fewer.  Use
 * this, not mmap(), for a file that its owner may truncate meanwhile.
 */
char *mem_read_file(int fd, size_t len);
/*
 * Write a whole file, in place of an older one.  Returns 0 or -errno.  A
 * regular file that could not be written whole is removed, for a build would
 * take it for made; a device stays.
 */
int mem_write_file(const char *path, const void *data, size_t len);

#endif
