/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines of oformat=folded from any bytes, compared with a tree that has some of
 * their frames: no frame has more than the whole, and no node is new.
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "consume/flame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
make(struct flame_tree *t)
{
	uint32_t a, b;

	flame_tree_init(t);
	t->nodes.v[0].total = 3;
	t->is_compared = true;
	a = flame_tree_add(t, 0, "a", FLAME_KEY, 3);
	b = flame_tree_add(t, a, "b", FLAME_USER, 2);
	flame_tree_add(t, b, "c", FLAME_KERNEL, 1);
}

static void
check(const struct flame_tree *t)
{
	struct strbuf sb = { 0 };

	assert(t->nodes.n == 4 && t->gone <= t->nodes.v[0].before);
	for (uint32_t i = 0; i < t->nodes.n; i++) {
		assert(t->nodes.v[i].before <=
		    t->nodes.v[t->nodes.v[i].caller].before);
		flame_diff_class(&sb, t, i);
		flame_diff_label(&sb, t, i);
	}
	flame_diff_title(&sb, t);
	strbuf_fini(&sb);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "one", "two" };
	FILE *f =
	    size != 0 ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;

	for (size_t n = 1; f != NULL && n <= 2; n++) {
		struct flame_tree trees[2];
		struct flame_compare cmp = {
			.trees = trees, .names = names, .n = n
		};

		make(&trees[0]);
		make(&trees[1]);
		rewind(f);
		flame_compare(&cmp, f);
		check(&trees[0]);
		check(&trees[1]);
		flame_tree_fini(&trees[0]);
		flame_tree_fini(&trees[1]);
	}
	if (f != NULL)
		fclose(f);
	return 0;
}
