/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>

typedef int sort_cmp_f(const void *a, const void *b, void *arg);

/*
 * qsort_r() for tables of foreign files, which may have millions of rows.  It
 * ends early when work is over (base/bounds.h); the rows are then in any order.
 */
void sort_rows(void *v, size_t n, size_t size, sort_cmp_f *cmp, void *arg);

#endif
