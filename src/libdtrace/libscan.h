/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIBDTRACE_LIBSCAN_H
#define LIBDTRACE_LIBSCAN_H

/*
 * Which names does a D library define, and which words does a text use?
 *
 * Answered by a light scan, without compiling anything: a library is compiled
 * only when a script uses one of its names.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int dt_word_f(const char *word, size_t len, void *arg);

/* A text, up to what has been read of it. */
struct dt_scan {
	const char *p, *end;
	bool at_bol;		/* only blanks so far on this line */
	bool has_strings;	/* they are tokens; else they are left out */
	const char *word;	/* the last token, if it is a word or string */
	size_t len;
	dt_word_f *f;		/* who is told of what is found */
	void *arg;
};
/* The next token: 'a' for a word, '0' for a number, '"' for a string, else its
 * character; 0 at the end. */
char dt_scan_next(struct dt_scan *s);

/*
 * Call f for each identifier of the text, comments and strings left out; stop
 * when it returns nonzero, and return that.
 */
int dt_scan_words(const char *text, size_t len, dt_word_f *f, void *arg);

/* What a name stands for: a tag is that of a struct, union, enum or provider. */
enum dt_def { DT_DEF_VALUE, DT_DEF_TYPE, DT_DEF_TAG };
typedef int dt_def_f(const char *name, size_t len, enum dt_def def, void *arg);

/*
 * The same for each name that the text defines outside of clauses; for a
 * provider's also with this in front of it.
 */
#define DT_SCAN_PROVIDER "provider:"
/* Behind the name of a provider that every process has one of, as it stands in
 * the text: "provider:plockstat$target". */
#define DT_LIB_TARGET "$target"
int dt_scan_names(const char *text, size_t len, dt_def_f *f, void *arg);

/* The same for each file that the text depends on (#pragma D depends_on library
 * FILE). */
int dt_scan_depends(const char *text, size_t len, dt_word_f *f, void *arg);

/*
 * Names of the libraries of one directory: a hash table with open addressing,
 * in which one name may stand several times, once per file.  That of the
 * libraries that come with dtrace is made when they are installed.
 */
struct dt_libname {
	const char *name;	/* NULL: an empty slot */
	uint32_t file;
	enum dt_def def;
};
struct dt_libindex {
	const struct dt_libname *slots;
	size_t nslots;		/* a power of two */
	const char *const *files;
	uint32_t nfiles;
	/* Of each file what a listing needs (libprobes.h); NULL where that is
	 * known once it is compiled.  NULL: so it is for all. */
	const char *const *outlines;
};

/* Make a table of n names, of which `index` gets slots and nslots; malloced. */
void dt_libindex_build(struct dt_libindex *index,
    const struct dt_libname *names, size_t n);
/* The next file that defines the word, at or after *slot (start with 0), or
 * -1. */
int64_t dt_libindex_next(const struct dt_libindex *index, const char *word,
    size_t len, size_t *slot);

#endif
