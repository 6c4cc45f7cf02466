/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The whole front end on any text from the preprocessor or a person.  The text
 * is compiled to a program that can be listed, or refused with messages; the
 * session can then compile another text.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "codegen/codegen.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
compile_text(struct cg_session *s, const char *text, size_t len, unsigned flags)
{
	static char name[] = "fuzz", one[] = "-1", two[] = "a b";
	static char *const argv[] = { name, one, two };
	struct arena arena;
	struct diags diags;
	struct strbuf sb = { 0 };
	struct lang_compile lc = {
		.name = "fuzz.d",
		.text = text,
		.len = len,
		.flags = flags,
		.pspec = LANG_PSPEC_NAME,
		.argc = 3,
		.argv = argv,
		.target = 1,
		.is_type = cg_is_type,
		.is_type_ctx = s,
		.arena = &arena,
		.diags = &diags,
	};
	struct ast_program *tree;
	struct dif_prog *prog;

	arena_init(&arena);
	diags_init(&diags);
	tree = lang_parse(&lc);
	prog = cg_compile(s, &lc, tree);
	if (prog != NULL) {
		cg_dump_types(s, &lc, tree, &sb);
		dif_prog_dump(prog, &diags, &sb);
	}
	dif_prog_destroy(prog);
	diags_format(&diags, 1, &sb);
	strbuf_fini(&sb);
	diags_fini(&diags);
	arena_fini(&arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char after[] = "BEGIN { x = 1; @[x] = count(); }";
	struct cg_session *s = cg_session_create();

	compile_text(s, (const char *)data, size,
	    LANG_F_CPP | LANG_F_DEFARG | LANG_F_ARGREF | LANG_F_EMPTY);
	compile_text(s, after, strlen(after), LANG_F_ARGREF);
	cg_session_destroy(s);
	return 0;
}
