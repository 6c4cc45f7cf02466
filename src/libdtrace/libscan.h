/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIBDTRACE_LIBSCAN_H
#define LIBDTRACE_LIBSCAN_H

/*
 * The names that a D library defines, and the words that a text uses.
 *
 * A light scan finds them without compiling: a library is compiled only if a
 * script uses one of its names.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int dt_word_f(const char *word, size_t len, void *arg);

/* A scan of a text: its state after the tokens read so far. */
struct dt_scan {
	const char *p, *end;
	bool at_bol;	  /* only blanks so far on this line */
	bool has_strings; /* strings are tokens; else they are skipped */
	const char *word; /* the last token, if it is a word or string */
	size_t len;
	dt_word_f *f; /* called for each result */
	void *arg;
};
/* The next token: 'a' for a word, '0' for a number, '"' for a string, else its
 * character; 0 at the end. */
char dt_scan_next(struct dt_scan *s);

/*
 * Call f for each identifier of the text outside of comments and strings; stop
 * when it returns nonzero, and return its value.
 */
int dt_scan_words(const char *text, size_t len, dt_word_f *f, void *arg);

/*
 * The kind of a name: a tag is that of a struct, union, enum or provider, a
 * function an inline with parameters.
 */
enum dt_def { DT_DEF_VALUE, DT_DEF_TYPE, DT_DEF_TAG, DT_DEF_FUNC };
typedef int dt_def_f(const char *name, size_t len, enum dt_def def, void *arg);

/*
 * Call f for each name that the text defines outside of clauses; for a provider
 * also with this prefix.
 */
#define DT_SCAN_PROVIDER "provider:"
/*
 * Suffix of the name of a provider that exists once for each process, as
 * written in the text: "provider:plockstat$target".
 */
#define DT_LIB_TARGET "$target"
int dt_scan_names(const char *text, size_t len, dt_def_f *f, void *arg);

/*
 * Call f for each file that the text depends on (#pragma D depends_on library
 * FILE).
 */
int dt_scan_depends(const char *text, size_t len, dt_word_f *f, void *arg);

/*
 * Names of the libraries of one directory: a hash table with open addressing,
 * which contains a name once for each file that defines it.  The table of
 * dtrace's own libraries is made by the build.
 */
struct dt_libname {
	const char *name; /* NULL: an empty slot */
	uint32_t file;
	enum dt_def def;
};
struct dt_libindex {
	const struct dt_libname *slots;
	size_t nslots; /* a power of two */
	const char *const *files;
	uint32_t nfiles;
	/*
	 * The outline of each file (libprobes.h), for listings; an element is
	 * NULL if the file has to be compiled.  NULL: so do all files.
	 */
	const char *const *outlines;
};

/* Make a table of n names, of which `index` gets slots and nslots; malloced. */
void dt_libindex_build(
    struct dt_libindex *index, const struct dt_libname *names, size_t n);
/* The next file that defines the word, from *slot on (start with 0); or -1. */
int64_t dt_libindex_next(const struct dt_libindex *index, const char *word,
    size_t len, size_t *slot);

#endif
