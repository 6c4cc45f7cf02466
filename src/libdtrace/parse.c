/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a text to a tree, under the options that are set.
 *
 * #pragma D option lines act on the whole text that holds them: the parser
 * collects them, and if one changes the way the text is read (defaultargs, cpp,
 * ...) the text is read again from the start.
 */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "libdtrace/compile_impl.h"

/* The options that decide how a script is read. */
static unsigned
lang_flags(const struct dt_hdl *h, const struct dt_input *in)
{
	static const struct {
		enum dt_opt opt;
		unsigned flag;
	} map[] = {
		{ DT_OPT_CPP, LANG_F_CPP },
		{ DT_OPT_EMPTY, LANG_F_EMPTY },
		{ DT_OPT_ARGREF, LANG_F_ARGREF },
		{ DT_OPT_DEFAULTARGS, LANG_F_DEFARG },
		{ DT_OPT_PSPEC, LANG_F_PSPEC },
	};
	unsigned flags = in->flags;

	if (in->is_library)
		return flags;
	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++) {
		if (dt_opt_flag(h, map[i].opt))
			flags |= map[i].flag;
	}
	return flags;
}

/* Option core: if dtrace aborts, the kernel may write a core file. */
static void
permit_core(struct dt_hdl *h)
{
	struct rlimit r;

	if (!dt_opt_flag(h, DT_OPT_CORE) || getrlimit(RLIMIT_CORE, &r) != 0)
		return;
	r.rlim_cur = r.rlim_max;
	if (setrlimit(RLIMIT_CORE, &r) != 0)
		dt_notice(h, "option core: %s", strerror(errno));
}

/* Commands of -c have already started, with the environment as it was. */
static bool
is_too_late(const char *option)
{
	enum dt_opt opt = dt_options_find(option);

	return opt == DT_OPT_SETENV || opt == DT_OPT_UNSETENV;
}

static void
apply_pragmas(struct dt_hdl *h, const struct ast_program *tree)
{
	VEC_FOREACH(&tree->options, opt) {
		struct err err = { 0 };

		if (dt_options_find(opt->name) == DT_OPT_RECORD)
			diag_error(&h->compiled.diags, D_PRAGMA_OPTSET,
			    opt->span,
			    "option record cannot be set in a program: only "
			    "-x may choose a file that is overwritten");
		else if (is_too_late(opt->name))
			diag_error(&h->compiled.diags, D_PRAGMA_OPTSET,
			    opt->span,
			    "option %s cannot be set in a program: commands of "
			    "-c have been started by then; use -x",
			    opt->name);
		else if (dt_options_set(
			     &h->opts, opt->name, opt->value, false, &err) != 0)
			diag_error(&h->compiled.diags, D_PRAGMA_OPTSET,
			    opt->span, "%s", err_text(&err));
		err_clear(&err);
	}
	permit_core(h);
	dt_color_apply(h);
}

/*
 * Load the libraries that define a word of the text or of the macro arguments.
 */
static int
load_libraries(struct dt_hdl *h, const struct lang_compile *lc)
{
	for (int i = 1; i < lc->argc; i++) {
		if (dt_libs_load_for(h, lc->argv[i], strlen(lc->argv[i])) != 0)
			return -1;
	}
	return dt_libs_load_for(h, lc->text, lc->len);
}

static bool
has_target(const struct lang_compile *lc, int64_t pid)
{
	for (size_t i = 0; i < lc->ntargets; i++) {
		if (lc->targets[i] == pid)
			return true;
	}
	return false;
}

/* $target is each process of -c and -p, once. */
static void
set_targets(struct dt_hdl *h, struct lang_compile *lc)
{
	int64_t *targets = arena_alloc(
	    lc->arena, (h->procs.list.n + 1) * sizeof(*lc->targets));

	lc->targets = targets;
	VEC_FOREACH(&h->procs.list, proc) {
		if (!proc->is_forgotten && !has_target(lc, proc->pid))
			targets[lc->ntargets++] = proc->pid;
	}
}

/* Read the text under the current options.  NULL: the preprocessor failed. */
static struct ast_program *
parse_once(struct dt_hdl *h, const struct dt_input *in, struct lang_compile *lc)
{
	struct strbuf sb = { 0 };

	*lc = (struct lang_compile){
		.name = in->name,
		.text = in->text,
		.len = in->len,
		.flags = lang_flags(h, in),
		.pspec = in->pspec,
		.argc = in->argc,
		.argv = in->argv,
		.target = in->instance > 0 ? in->instance : dt_proc_target(h),
		.is_type = cg_is_type,
		.is_type_ctx = h->compiled.cg,
		.probes = dt_match_args,
		.probes_ctx = h,
		.names = dt_libs_each_name,
		.names_ctx = h,
		.label = dt_label,
		.label_ctx = h,
		.arena = &h->compiled.arena,
		.diags = &h->compiled.diags,
	};
	if (in->instance <= 0)
		set_targets(h, lc);
	if (lc->flags & LANG_F_CPP) {
		if (dt_cpp(h, in->name, in->text, in->len, &sb) != 0) {
			strbuf_fini(&sb);
			return NULL;
		}
		lc->text =
		    arena_strndup(&h->compiled.arena, sb.s ? sb.s : "", sb.len);
		lc->len = sb.len;
		strbuf_fini(&sb);
	}
	if (load_libraries(h, lc) != 0)
		return NULL;
	return lang_parse(lc);
}

struct ast_program *
dt_parse(struct dt_hdl *h, const struct dt_input *in, struct lang_compile *lc)
{
	struct ast_program *tree;
	size_t n = h->compiled.diags.list.n;

	for (;;) {
		tree = parse_once(h, in, lc);
		if (tree == NULL)
			return NULL;
		apply_pragmas(h, tree);
		if (lang_flags(h, in) == lc->flags)
			return tree;
		diags_truncate(&h->compiled.diags, n);
	}
}

bool
dt_is_bare(const struct ast_clause *ac)
{
	return ac->pred == NULL && !ac->has_body;
}

struct ast_program *
dt_parse_part(
    struct dt_hdl *h, const struct dt_input *in, struct lang_compile *lc)
{
	struct ast_program *tree = dt_parse(h, in, lc);

	if (tree != NULL && h->compiled.diags.list.n != 0) {
		dt_show_errors(h);
		return NULL;
	}
	return tree;
}

static bool
is_lone_pdesc(const struct ast_program *tree)
{
	const struct ast_clause *ac =
	    tree->items.n == 1 && tree->items.v[0]->kind == AST_I_CLAUSE ?
	    tree->items.v[0]->clause :
	    NULL;

	return ac != NULL && ac->pdescs.n == 1 && dt_is_bare(ac);
}

const struct ast_pdesc *
dt_parse_pdesc(struct dt_hdl *h, enum lang_pspec spec, const char *text,
    int argc, char *const argv[])
{
	struct dt_input in = { .text = text,
		.len = strlen(text),
		.pspec = spec,
		.flags = LANG_F_ARGREF,
		.argc = argc,
		.argv = argv };
	struct lang_compile lc;
	struct ast_program *tree = dt_parse_part(h, &in, &lc);

	if (tree == NULL)
		return NULL;
	if (is_lone_pdesc(tree))
		return &tree->items.v[0]->clause->pdescs.v[0];
	dt_fail(h, "'%s' is not one probe description", text);
	return NULL;
}
