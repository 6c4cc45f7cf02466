/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Memory.
 *
 * Small allocations (nodes, names, tables that grow with the script) either
 * succeed or end the process with a message: Linux overcommits, so a failing
 * malloc() of a few bytes means that the machine is already lost, and error
 * paths that no test ever takes are where bugs live.  What the user sizes
 * (buffers, maps, files) is never allocated here: it is checked and reported.
 */
void *mem_alloc(size_t size);			/* zeroed */
/* Called once before the process ends so, for one that holds another: f need not
 * return, and allocates nothing. */
void mem_at_failure(void (*f)(void *arg), void *arg);
void *mem_realloc(void *p, size_t size);	/* new bytes are not zeroed */
char *mem_strdup(const char *s);
char *mem_strndup(const char *s, size_t n);
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * An arena: everything that lives as long as one phase dies with it, at once.
 * Memory is zeroed and aligned to 16 bytes.
 */
struct arena {
	struct arena_block *blocks;
	char *cur, *end;	/* what is free of the latest */
	size_t block_size;
};

void arena_init(struct arena *a);
void arena_fini(struct arena *a);
void *arena_alloc(struct arena *a, size_t size);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))

/*
 * A vector of any element type:
 *	VEC(struct foo) foos = { 0 };
 *	VEC_PUSH(&foos, foo);
 *	VEC_FOREACH(&foos, fp) ...
 *	VEC_FREE(&foos);
 */
#define VEC(...)							\
	struct {							\
		__VA_ARGS__ *v;						\
		size_t n, cap;						\
	}
#define VEC_RESERVE(vec, want)						\
	((vec)->v = vec_grow((vec)->v, &(vec)->cap, (want),		\
	    sizeof(*(vec)->v)))
#define VEC_PUSH(vec, ...)						\
	do {								\
		if ((vec)->n == (vec)->cap)				\
			VEC_RESERVE((vec), (vec)->n + 1);		\
		(vec)->v[(vec)->n++] = (__VA_ARGS__);			\
	} while (0)
#define VEC_FOREACH(vec, p)						\
	for (__typeof__((vec)->v + 0) p = (vec)->v;			\
	    p != NULL && p < (vec)->v + (vec)->n; p++)
/* `to` is taken as it is: what it points to is another's. */
#define VEC_COPY(to, from)						\
	do {								\
		(to)->v = NULL;						\
		(to)->n = (to)->cap = 0;				\
		VEC_RESERVE((to), (from)->n);				\
		if ((from)->n != 0)					\
			memcpy((to)->v, (from)->v,			\
			    (from)->n * sizeof(*(to)->v));		\
		(to)->n = (from)->n;					\
	} while (0)
#define VEC_FREE(vec)							\
	do {								\
		free((vec)->v);						\
		(vec)->v = NULL;					\
		(vec)->n = (vec)->cap = 0;				\
	} while (0)

/*
 * The first `len` bytes of a file (free() them), or NULL when there are fewer.
 * What may be cut by its owner while we look at it is read, not mapped.
 */
char *mem_read_file(int fd, size_t len);

void *vec_grow(void *v, size_t *cap, size_t want, size_t elem_size);

/* A string that grows. `s` is always NUL-terminated once anything was added. */
struct strbuf {
	char *s;
	size_t len, cap;
};

void strbuf_fini(struct strbuf *sb);
void strbuf_reset(struct strbuf *sb);
void strbuf_add(struct strbuf *sb, const void *data, size_t len);
void strbuf_addc(struct strbuf *sb, char c);
void strbuf_adds(struct strbuf *sb, const char *s);
/* "0x1f"; fast, since stacks are made of such. */
void strbuf_add_hex(struct strbuf *sb, uint64_t v);
/* As a constant of C; "..." when there are more than `max` characters. */
void strbuf_add_quoted(struct strbuf *sb, const char *s, size_t len,
    size_t max);
/* Without what would move a terminal's cursor, or worse: control characters, but
 * those in `keep`, as in a constant of C. */
void strbuf_add_plain(struct strbuf *sb, const char *s, const char *keep);
void strbuf_printf(struct strbuf *sb, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void strbuf_vprintf(struct strbuf *sb, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));
/*
 * For writers that format in place: the end of the text, with room for n more
 * bytes and the NUL.  What was written counts once it is added to sb->len.
 */
char *strbuf_room(struct strbuf *sb, size_t n);
char *strbuf_steal(struct strbuf *sb);	/* the caller frees; never NULL */

/*
 * Strings to numbers: each distinct string gets the next id, from 1.  The
 * table owns its copies; strtab_str() stays valid until strtab_fini().
 */
struct strtab {
	struct arena arena;
	VEC(char *) strs;
	uint32_t *slots;
	size_t nslots;
};

void strtab_init(struct strtab *st);
void strtab_fini(struct strtab *st);
uint32_t strtab_intern(struct strtab *st, const char *s);
uint32_t strtab_find(const struct strtab *st, const char *s); /* 0: absent */
const char *strtab_str(const struct strtab *st, uint32_t id);

/* For tables in memory; not for anything stored. */
uint64_t hash_bytes(const void *data, size_t len);

/*
 * How many insertions, deletions, replacements and swaps of neighbours make b
 * of a; more than `max` is reported as max + 1.  If nothing but capitals is
 * wrong that is one mistake, however many they are.
 */
unsigned edit_distance(const char *a, const char *b, unsigned max);

/* The name that a misspelt one was probably meant to be: try each known name,
 * then look at `name`. */
struct near {
	const char *to;		/* the misspelt name */
	const char *name;	/* the nearest so far, or NULL */
	unsigned best;		/* a name must be nearer than this */
};
struct near near_start(const char *to);
void near_try(struct near *n, const char *name);

/* Shell-style pattern of a probe description: * ? [set] [!set] [a-z] \c.
 * An empty pattern matches everything. */
int glob_match_all(const char *pattern, const char *name);

/* Most of the thousands of names that a pattern is compared to begin otherwise. */
static inline int
glob_match(const char *pattern, const char *name)
{
	char c = *pattern;

	if (c != *name && c != '\0' && c != '*' && c != '?' && c != '[' &&
	    c != '\\')
		return 0;
	return glob_match_all(pattern, name);
}

int glob_is_pattern(const char *s);

#endif
