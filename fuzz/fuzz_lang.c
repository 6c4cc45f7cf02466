/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lexer and parser: any bytes make a tree that can be dumped, and diagnostics
 * that can be printed.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "lang/lang.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Parse as a file without arguments, or as text of -m with some. */
static void
parse_as(const uint8_t *data, size_t size, bool is_file)
{
	static char name[] = "fuzz", one[] = "-1", two[] = "a b",
		    three[] = "syscall";
	static char *const argv[] = { name, one, two, three };
	struct arena arena;
	struct diags diags;
	struct strbuf sb = { 0 };
	struct lang_compile lc = {
		.name = is_file ? "fuzz.d" : NULL,
		.text = (const char *)data,
		.len = size,
		.flags = is_file ? LANG_F_CPP | LANG_F_DEFARG : LANG_F_PSPEC,
		.pspec = is_file ? LANG_PSPEC_NAME : LANG_PSPEC_MOD,
		.argc = is_file ? 0 : 4,
		.argv = argv,
		.target = is_file ? -1 : 1,
		.arena = &arena,
		.diags = &diags,
	};

	arena_init(&arena);
	diags_init(&diags);
	lang_dump_tokens(&lc, &sb);
	ast_dump(lang_parse(&lc), &sb);
	diags_format(&diags, 1, &sb);
	strbuf_fini(&sb);
	diags_fini(&diags);
	arena_fini(&arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	parse_as(data, size, true);
	parse_as(data, size, false);
	return 0;
}
