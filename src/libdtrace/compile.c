/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compile a text through every stage up to DIF, and look up its probes.
 *
 * #pragma D option lines act on the whole text that holds them: the parser
 * collects them, and if one changes the way the text is read (defaultargs, cpp,
 * ...) the text is read again from the start.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "ctf/btf_import.h"
#include "ctf/ctf_import.h"
#include "ctf/ctf_write.h"
#include "libdtrace/dt_impl.h"

enum { LATE_DYNAMIC, LATE_STATIC }; /* choices of option late */

/* A text to compile. */
struct input {
	const char *name; /* NULL: from the command line */
	const char *text;
	size_t len;
	enum lang_pspec pspec;
	unsigned flags;
	int argc;
	char *const *argv;
	bool is_library;
	pid_t instance; /* a library's $target; 0: none */
};

/* ---- dumps -------------------------------------------------------------- */

static void
dump_write(struct dt_hdl *h, struct strbuf *sb)
{
	fwrite(sb->s != NULL ? sb->s : "", 1, sb->len, h->dump.out);
	strbuf_fini(sb);
}

/* The lexer runs again for the dump; its errors are not reported twice. */
static void
dump_tokens(struct dt_hdl *h, struct lang_compile *lc)
{
	struct strbuf sb = { 0 };
	size_t n = h->compiled.diags.list.n;

	lang_dump_tokens(lc, &sb);
	diags_truncate(&h->compiled.diags, n);
	dump_write(h, &sb);
}

static void
dump_parsed(
    struct dt_hdl *h, struct lang_compile *lc, const struct ast_program *tree)
{
	struct strbuf sb = { 0 };

	if (h->dump.stages[DT_DUMP_TOKENS])
		dump_tokens(h, lc);
	if (h->dump.stages[DT_DUMP_AST] || (dt_opt(h, DT_OPT_TREE) & 1) != 0) {
		ast_dump(tree, &sb);
		dump_write(h, &sb);
	}
}

static void
dump_compiled(struct dt_hdl *h, struct lang_compile *lc,
    struct ast_program *tree, const struct dif_prog *dif)
{
	struct strbuf sb = { 0 };

	if (h->dump.stages[DT_DUMP_TYPES] ||
	    (dt_opt(h, DT_OPT_TREE) & ~INT64_C(1)) != 0) {
		cg_dump_types(h->compiled.cg, lc, tree, &sb);
		dump_write(h, &sb);
	}
	if (h->dump.stages[DT_DUMP_DIF]) {
		dif_prog_dump(dif, &h->compiled.diags, &sb);
		dump_write(h, &sb);
	}
	if (h->dump.stages[DT_DUMP_DOF]) {
		dt_dump_dof(h, dif, &sb);
		dump_write(h, &sb);
	}
}

/* ---- parsing ------------------------------------------------------------ */

/* The options that decide how a script is read. */
static unsigned
lang_flags(const struct dt_hdl *h, const struct input *in)
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

/* Commands of -c have started by then, with the environment as it was. */
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
parse_once(struct dt_hdl *h, const struct input *in, struct lang_compile *lc)
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

static struct ast_program *
parse(struct dt_hdl *h, const struct input *in, struct lang_compile *lc)
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

/* ------------------------------------------------------------------------- */

static const char *
string_option(const struct dt_hdl *h, enum dt_opt opt)
{
	const struct dt_optval *v = &h->opts.vals[opt];

	return v->strs.n != 0 ? v->strs.v[0] : NULL;
}

static struct btf_blob *
lend_vmlinux(void *arg)
{
	return dt_registry_vmlinux(arg);
}

/*
 * Types of the kernel, and of the processes of -c and -p: nothing is read
 * before a type is needed.
 */
int
dt_need_types(struct dt_hdl *h)
{
	struct ctf_graph *g = cg_session_types(h->compiled.cg);
	const char *ctf = string_option(h, DT_OPT_CTFPATH);
	const char *btf = string_option(h, DT_OPT_KERNELBTF);
	const char *path = ctf != NULL ? ctf : btf != NULL ? btf : "";

	if (h->compiled.types_path != NULL &&
	    strcmp(h->compiled.types_path, path) != 0)
		return dt_fail(h,
		    "the kernel's types come from %s since the "
		    "first program: set ctfpath and kernelbtf before it",
		    *h->compiled.types_path != '\0' ? h->compiled.types_path :
						      "the running kernel");
	if (h->compiled.types_path != NULL)
		return 0;
	h->compiled.types_path = arena_strdup(&h->compiled.arena, path);
	dt_log(h, "types of the system are wanted");
	if (ctf != NULL)
		ctf_import_kernel(g, ctf);
	else
		btf_import_kernel(g, btf, lend_vmlinux, h->probes.registry);
	dt_objects_import(h, g);
	return 0;
}

/* -x ctypes and -x dtypes: the types, once a text has been compiled. */
static int
write_types(struct dt_hdl *h)
{
	static const struct {
		enum dt_opt opt;
		enum ctf_write which;
	} files[] = {
		{ DT_OPT_CTYPES, CTF_WRITE_C },
		{ DT_OPT_DTYPES, CTF_WRITE_D },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const char *path = string_option(h, files[i].opt);
		struct err err = { 0 };

		if (path != NULL &&
		    ctf_write_file(path, cg_session_types(h->compiled.cg),
			files[i].which, (uint64_t)dt_opt(h, DT_OPT_STRSIZE),
			&err) != 0)
			return dt_fail_err(h, &err);
	}
	return 0;
}

static void
set_session_options(struct dt_hdl *h)
{
	const struct dt_optval *amin = &h->opts.vals[DT_OPT_AMIN];
	struct dif_attr attr = { 0 };

	cg_session_set_strsize(
	    h->compiled.cg, (uint64_t)dt_opt(h, DT_OPT_STRSIZE));
	if (amin->is_set)
		dif_attr_parse(amin->strs.v[0], &attr);
	cg_session_set_amin(h->compiled.cg, attr);
	cg_session_set_version(h->compiled.cg,
	    dif_version_parse(h->opts.vals[DT_OPT_VERSION].strs.v[0]));
	cg_session_set_late(
	    h->compiled.cg, dt_opt(h, DT_OPT_LATE) == LATE_DYNAMIC);
}

/*
 * Load the module, provider or library that the text depends on; returns
 * whether it exists.  A library that depends on a missing module or provider is
 * left out.  A script fails without it; a library that depends on a missing
 * library fails, too.
 */
static bool
is_satisfied(struct dt_hdl *h, const struct input *in,
    const struct ast_item *it, int *rc)
{
	const struct ast_pragma *pr = it->pragma;

	if (strcmp(pr->value, "library") != 0 &&
	    strcmp(pr->value, "module") != 0 &&
	    strcmp(pr->value, "provider") != 0) {
		diag_error(&h->compiled.diags, D_PRAGMA_MALFORM, it->span,
		    "expected "
		    "library, module or provider after '#pragma D depends_on', "
		    "found '%s'",
		    pr->value);
		return true;
	}
	if (dt_libs_depend(h, pr->value, pr->name, rc))
		return true;
	if (!in->is_library || strcmp(pr->value, "library") == 0)
		diag_error(&h->compiled.diags, D_PRAGMA_DEPEND, it->span,
		    "the %s depends on %s %s, which is not there",
		    in->is_library ? "library" : "program", pr->value,
		    pr->name);
	return false;
}

/* Returns 0, or -1 if a library that the text depends on cannot be compiled. */
static int
resolve_depends(
    struct dt_hdl *h, const struct input *in, struct ast_program *tree)
{
	bool all = true;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < tree->items.n; i++) {
		const struct ast_item *it = tree->items.v[i];

		if (it->kind == AST_I_PRAGMA &&
		    it->pragma->kind == AST_P_DEPENDS_ON)
			all = is_satisfied(h, in, it, &rc) && all;
	}
	if (in->is_library && !all)
		tree->items.n = 0;
	return rc;
}

/* Does the clause only name probes? */
static bool
is_bare(const struct ast_clause *ac)
{
	return ac->pred == NULL && !ac->has_body;
}

/* Load the libraries that make the probes of the text's descriptions. */
static int
load_probes(
    struct dt_hdl *h, const struct input *in, const struct ast_program *tree)
{
	int rc = 0;

	for (size_t i = 0; !in->is_library && rc == 0 && i < tree->items.n;
	     i++) {
		const struct ast_item *it = tree->items.v[i];

		for (size_t k = 0; it->kind == AST_I_CLAUSE && rc == 0 &&
		     k < it->clause->pdescs.n;
		     k++) {
			struct dif_pdesc d =
			    dt_pdesc_of(&it->clause->pdescs.v[k]);

			rc = is_bare(it->clause) ?
			    dt_libs_list_for_desc(h, &d) :
			    dt_libs_load_for_desc(h, &d);
		}
	}
	return rc;
}

static struct dif_prog *
generate(struct dt_hdl *h, const struct input *in)
{
	struct lang_compile lc;
	struct ast_program *tree = parse(h, in, &lc);
	struct dif_prog *dif;

	if (tree == NULL)
		return NULL;
	dump_parsed(h, &lc, tree);
	if (h->compiled.diags.nerrors == 0 && resolve_depends(h, in, tree) != 0)
		return NULL;
	if (h->compiled.diags.nerrors != 0)
		return NULL;
	if (dt_need_types(h) != 0 || load_probes(h, in, tree) != 0)
		return NULL;
	set_session_options(h);
	cg_session_set_library(h->compiled.cg, in->is_library);
	dif = cg_compile(h->compiled.cg, &lc, tree);
	if (dif != NULL)
		dump_compiled(h, &lc, tree, dif);
	return dif;
}

/* "[D_IDENT_UNDEF] line 3: unknown name 'foo'", for the first error. */
static void
show_classic(struct dt_hdl *h)
{
	strbuf_reset(&h->messages.classic);
	if (!h->opts.vals[DT_OPT_ERRTAGS].is_set ||
	    !dt_opt_flag(h, DT_OPT_ERRTAGS))
		return;
	VEC_FOREACH(&h->compiled.diags.list, d) {
		const char *file;

		if (d->severity != DIAG_ERROR)
			continue;
		if (d->tag != NULL)
			strbuf_printf(&h->messages.classic, "[%s] ", d->tag);
		if (d->span.source != 0)
			strbuf_printf(&h->messages.classic, "line %u: ",
			    diag_line(&h->compiled.diags, d->span, &file));
		strbuf_add_plain(&h->messages.classic, d->msg, "");
		return;
	}
}

static void
keep_diags(struct dt_hdl *h)
{
	const struct diags *ds = &h->compiled.diags;

	dt_forget_diags(h);
	VEC_FOREACH(&ds->list, d) {
		const char *file;
		struct dt_diag kept = { .severity = d->severity,
			.tag = d->tag,
			.line = diag_line(ds, d->span, &file),
			.column = diag_column(ds, d->span),
			.len = d->span.len,
			.msg = mem_strdup(d->msg) };

		if (file != NULL)
			kept.file = mem_strdup(file);
		if (d->hint != NULL)
			kept.hint = mem_strdup(d->hint);
		VEC_PUSH(&h->messages.diags, kept);
	}
}

int
dt_show_errors(struct dt_hdl *h)
{
	show_classic(h);
	keep_diags(h);
	strbuf_reset(&h->messages.error);
	diags_format(&h->compiled.diags, dt_opt_flag(h, DT_OPT_ERRTAGS),
	    &h->messages.error);
	diags_truncate(&h->compiled.diags, 0);
	return -1;
}

static void
show_warnings(struct dt_hdl *h)
{
	diags_format(&h->compiled.diags, dt_opt_flag(h, DT_OPT_ERRTAGS),
	    &h->messages.notices);
	diags_truncate(&h->compiled.diags, 0);
}

static void
prog_free(struct dt_prog *p)
{
	dt_match_free(p);
	dif_prog_destroy(p->dif);
	free(p);
}

void
dt_progs_close(struct dt_hdl *h)
{
	VEC_FOREACH(&h->compiled.progs, p)
		prog_free(*p);
	VEC_FREE(&h->compiled.progs);
}

static struct dt_prog *
compile_now(struct dt_hdl *h, const struct input *in)
{
	struct dt_prog *p = mem_alloc(sizeof(*p));

	p->name = in->name != NULL ?
	    arena_strdup(&h->compiled.arena, in->name) :
	    NULL;
	if (in->name == NULL && !dt_is_image(in->text, in->len))
		p->text = arena_strndup(&h->compiled.arena, in->text, in->len);
	if (h->compiled.has_dof && !in->is_library)
		dt_fail(h, "a DOF file must be the only program");
	else if (dt_is_image(in->text, in->len))
		p->dif = dt_load_dof(h, in->text, in->len);
	else
		p->dif = generate(h, in);
	if (p->dif != NULL && !in->is_library &&
	    !h->opts.vals[DT_OPT_LINKTYPE].is_set) {
		dt_watch(h); /* the program may set options */
		dt_match_prog(h, p);
	}
	if (h->compiled.diags.nerrors != 0)
		dt_show_errors(h);
	else if (p->dif != NULL && (in->is_library || write_types(h) == 0)) {
		show_warnings(h);
		dt_log(h, "compiled %s: %zu clauses",
		    in->name != NULL ? in->name : "a description",
		    p->dif->clauses.n);
		VEC_PUSH(&h->compiled.progs, p);
		return p;
	}
	prog_free(p);
	return NULL;
}

/* Compile a text.  Libraries may be compiled meanwhile. */
static struct dt_prog *
compile(struct dt_hdl *h, const struct input *in)
{
	bounds_flag *before = dt_watch(h);
	struct dt_prog *p = compile_now(h, in);

	bounds_watch(before);
	return p;
}

/* ---- linking ------------------------------------------------------------ */

/*
 * Load the libraries that define the translators, or the types, of an object's
 * references.
 */
static int
load_for_refs(struct dt_hdl *h, const struct dif_obj *dp)
{
	int rc = 0;

	for (uint32_t i = 0; dp != NULL && i < dp->nxlref && rc == 0; i++) {
		const struct dif_xlref *x = &dp->xlrefs[i];

		rc = dt_libs_load_for(h, x->in, strlen(x->in));
		if (rc == 0)
			rc = dt_libs_load_for(h, x->out, strlen(x->out));
	}
	return rc;
}

static int
load_translators(struct dt_hdl *h, const struct dif_prog *dif)
{
	int rc = 0;

	VEC_FOREACH(&dif->clauses, cl) {
		rc = rc != 0 ? rc : load_for_refs(h, cl->pred);
		VEC_FOREACH(&cl->actions, act)
			rc = rc != 0 ? rc : load_for_refs(h, act->difo);
	}
	return rc;
}

int
dt_link(struct dt_hdl *h, struct dif_prog *dif)
{
	struct lang_compile lc = { .target = dt_proc_target(h),
		.probes = dt_match_args,
		.probes_ctx = h,
		.arena = &h->compiled.arena,
		.diags = &h->compiled.diags };

	if (!cg_needs_link(dif))
		return 0;
	if (dt_opt(h, DT_OPT_LATE) != LATE_DYNAMIC)
		return dt_fail(h,
		    "the program refers to translators that are "
		    "put in when it is run: say so with -x late=dynamic");
	if (dt_need_types(h) != 0 || load_translators(h, dif) != 0)
		return -1;
	set_session_options(h);
	if (cg_link(h->compiled.cg, &lc, dif) == 0)
		return 0;
	return dt_show_errors(h);
}

/* ---- parts of a program ------------------------------------------------- */

/* NULL: dt_errmsg() says why. */
static struct ast_program *
parse_part(struct dt_hdl *h, const struct input *in, struct lang_compile *lc)
{
	struct ast_program *tree = parse(h, in, lc);

	if (tree != NULL && h->compiled.diags.nerrors != 0) {
		dt_show_errors(h);
		return NULL;
	}
	return tree;
}

struct ctf_type *
dt_compile_type(struct dt_hdl *h, const char *text)
{
	char *prog = mem_printf("BEGIN { sizeof (%s) ; }", text);
	struct input in = {
		.text = prog, .len = strlen(prog), .pspec = LANG_PSPEC_NAME
	};
	struct lang_compile lc;
	struct ctf_type *t = NULL;
	struct ast_program *tree =
	    dt_need_types(h) == 0 ? parse_part(h, &in, &lc) : NULL;

	if (tree != NULL) {
		dt_fail(h, "'%s' is not a type", text);
		t = cg_compile_type(h->compiled.cg, &lc, tree);
		if (h->compiled.diags.nerrors != 0)
			dt_show_errors(h);
	}
	free(prog);
	return t;
}

static bool
is_lone_pdesc(const struct ast_program *tree)
{
	const struct ast_clause *ac =
	    tree->items.n == 1 && tree->items.v[0]->kind == AST_I_CLAUSE ?
	    tree->items.v[0]->clause :
	    NULL;

	return ac != NULL && ac->pdescs.n == 1 && is_bare(ac);
}

const struct ast_pdesc *
dt_parse_pdesc(struct dt_hdl *h, enum lang_pspec spec, const char *text,
    int argc, char *const argv[])
{
	struct input in = { .text = text,
		.len = strlen(text),
		.pspec = spec,
		.flags = LANG_F_ARGREF,
		.argc = argc,
		.argv = argv };
	struct lang_compile lc;
	struct ast_program *tree = parse_part(h, &in, &lc);

	if (tree == NULL)
		return NULL;
	if (is_lone_pdesc(tree))
		return &tree->items.v[0]->clause->pdescs.v[0];
	dt_fail(h, "'%s' is not one probe description", text);
	return NULL;
}

/* ---- files -------------------------------------------------------------- */

static int
read_fd(int fd, struct strbuf *sb)
{
	char buf[16384];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		strbuf_add(sb, buf, (size_t)n);
	return n < 0 ? -errno : 0;
}

int
dt_read_file(struct dt_hdl *h, const char *path, struct strbuf *sb)
{
	bool is_stdin = strcmp(path, "-") == 0;
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	int rc = fd < 0 ? -errno : read_fd(fd, sb);

	if (fd >= 0 && !is_stdin)
		close(fd);
	if (rc < 0)
		return dt_fail(h, "cannot read %s: %s",
		    is_stdin ? "standard input" : path, strerror(-rc));
	if (sb->len > INT32_MAX)
		return dt_fail(h, "%s is too long to be a program", path);
	return 0;
}

static struct dt_prog *
compile_file(struct dt_hdl *h, const char *path, struct input *in)
{
	struct strbuf sb = { 0 };
	struct dt_prog *p = NULL;

	if (dt_read_file(h, path, &sb) == 0) {
		in->name = strcmp(path, "-") == 0 ? "<stdin>" : path;
		in->text = sb.s != NULL ? sb.s : "";
		in->len = sb.len;
		p = compile(h, in);
	}
	strbuf_fini(&sb);
	return p;
}

/* ------------------------------------------------------------------------- */

int
dt_compile_library(struct dt_hdl *h, const char *path, pid_t pid)
{
	struct input in = { .flags = LANG_F_EMPTY,
		.is_library = true,
		.pspec = LANG_PSPEC_NAME,
		.instance = pid };
	bool was_hasty = dt_registry_set_hasty(h->probes.registry, true);
	struct dt_prog *p = compile_file(h, path, &in);
	int rc = -1;

	if (p != NULL) {
		p->is_library = true;
		rc = dt_derive(h, p);
	}
	dt_registry_set_hasty(h->probes.registry, was_hasty);
	return rc;
}

struct dt_prog *
dt_compile_str(struct dt_hdl *h, const char *text, enum lang_pspec spec,
    unsigned flags, int argc, char *const argv[])
{
	return dt_compile_mem(h, text, strlen(text), spec, flags, argc, argv);
}

struct dt_prog *
dt_compile_mem(struct dt_hdl *h, const char *text, size_t len,
    enum lang_pspec spec, unsigned flags, int argc, char *const argv[])
{
	struct input in = { .text = text,
		.len = len,
		.pspec = spec,
		.flags = flags,
		.argc = argc,
		.argv = argv };

	return compile(h, &in);
}

struct dt_prog *
dt_compile_file(struct dt_hdl *h, const char *path, unsigned flags, int argc,
    char *const argv[])
{
	struct input in = { .pspec = LANG_PSPEC_NAME,
		.flags = flags,
		.argc = argc,
		.argv = argv };

	return compile_file(h, path, &in);
}

void
dt_prog_dump(struct dt_hdl *h, const struct dt_prog *p, FILE *out)
{
	struct strbuf sb = { 0 };

	dif_prog_dump(p->dif, &h->compiled.diags, &sb);
	fwrite(sb.s != NULL ? sb.s : "", 1, sb.len, out);
	strbuf_fini(&sb);
}
