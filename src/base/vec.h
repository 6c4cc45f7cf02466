/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stddef.h>

/*
 * A vector of any element type:
 *	VEC(struct foo) foos = { 0 };
 *	VEC_PUSH(&foos, foo);
 *	VEC_FOREACH(&foos, fp) ...
 *	VEC_FREE(&foos);
 * VEC_COPY() calls memcpy(), VEC_FREE() free().
 */
#define VEC(...)                                                               \
	struct {                                                               \
		__VA_ARGS__ *v;                                                \
		size_t n, cap;                                                 \
	}
#define VEC_RESERVE(vec, want)                                                 \
	((vec)->v = vec_grow((vec)->v, &(vec)->cap, (want), sizeof(*(vec)->v)))
#define VEC_PUSH(vec, ...)                                                     \
	do {                                                                   \
		if ((vec)->n == (vec)->cap)                                    \
			VEC_RESERVE((vec), (vec)->n + 1);                      \
		(vec)->v[(vec)->n++] = (__VA_ARGS__);                          \
	} while (0)
#define VEC_FOREACH(vec, p)                                                    \
	for (__typeof__((vec)->v + 0) p = (vec)->v;                            \
	     p != NULL && p < (vec)->v + (vec)->n; p++)
/* A shallow copy; the former contents of `to` are not freed. */
#define VEC_COPY(to, from)                                                     \
	do {                                                                   \
		(to)->v = NULL;                                                \
		(to)->n = (to)->cap = 0;                                       \
		VEC_RESERVE((to), (from)->n);                                  \
		if ((from)->n != 0)                                            \
			memcpy(                                                \
			    (to)->v, (from)->v, (from)->n * sizeof(*(to)->v)); \
		(to)->n = (from)->n;                                           \
	} while (0)
#define VEC_FREE(vec)                                                          \
	do {                                                                   \
		free((vec)->v);                                                \
		(vec)->v = NULL;                                               \
		(vec)->n = (vec)->cap = 0;                                     \
	} while (0)

void *vec_grow(void *v, size_t *cap, size_t want, size_t elem_size);

#endif
