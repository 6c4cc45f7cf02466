/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The front end: text -> tree, or text -> error tag and line.
 */
#include "unit.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "lang/lang.h"

/* The parameters of a parse; each test changes some of them. */
struct setup {
	struct arena arena;
	struct diags diags;
	struct lang_compile lc;
};

static void
setup_init(struct setup *s, const char *text)
{
	static char argv0[] = "dtrace";
	static char *const argv[] = { argv0 };

	memset(s, 0, sizeof(*s));
	arena_init(&s->arena);
	diags_init(&s->diags);
	s->lc = (struct lang_compile){
		.text = text,
		.len = strlen(text),
		.pspec = LANG_PSPEC_NAME,
		.argc = 1,
		.argv = argv,
		.target = 42,
		.arena = &s->arena,
		.diags = &s->diags,
	};
}

static void
setup_fini(struct setup *s)
{
	diags_fini(&s->diags);
	arena_fini(&s->arena);
}

/* Parse and compare the dump; there must be no diagnostics. */
static void
assert_dump(struct setup *s, const char *want)
{
	struct strbuf dump = { 0 }, errors = { 0 };

	ast_dump(lang_parse(&s->lc), &dump);
	diags_format(&s->diags, 1, &errors);
	if (errors.len > 0)
		fail_msg("%s\n%s", s->lc.text, errors.s);
	assert_string_equal(dump.s != NULL ? dump.s : "", want);
	strbuf_fini(&dump);
	strbuf_fini(&errors);
}

/* Parse; the first diagnostic must have this tag and line. */
static void
assert_error(struct setup *s, const char *tag, unsigned line)
{
	const char *file;

	lang_parse(&s->lc);
	if (s->diags.list.n == 0)
		fail_msg("no error in: %s", s->lc.text);
	if (strcmp(s->diags.list.v[0].tag, tag) != 0)
		fail_msg("%s: %s, not %s: %s", s->lc.text,
		    s->diags.list.v[0].tag, tag, s->diags.list.v[0].msg);
	assert_int_equal(
	    diag_line(&s->diags, s->diags.list.v[0].span, &file), line);
}

/* ---- trees --------------------------------------------------------------- */

struct tree_case {
	const char *text;
	const char *dump;
};

static const struct tree_case exprs[] = {
	/* precedence and associativity, high to low */
	{ "a.b->c[1, 2]++", "(postinc (index (-> (. a b) c) 1 2))" },
	{ "-a * ~b / !c % d", "(% (/ (* (neg a) (~ b)) (! c)) d)" },
	{ "a - b - c + d * e", "(+ (- (- a b) c) (* d e))" },
	{ "a << 1 + 2 >> b", "(>> (<< a (+ 1 2)) b)" },
	{ "a < b == c >= d", "(== (< a b) (>= c d))" },
	{ "a != b & c ^ d | e", "(| (^ (& (!= a b) c) d) e)" },
	{ "a || b ^^ c && d", "(|| a (^^ b (&& c d)))" },
	{ "a ? b : c ? d : e", "(? a b (? c d e))" },
	{ "a = b += c -= d", "(= a (+= b (-= c d)))" },
	{ "a <<= b >>= c &= d |= e ^= f",
	    "(<<= a (>>= b (&= c (|= d (^= e f)))))" },
	{ "a *= b /= c %= d", "(*= a (/= b (%= c d)))" },
	{ "a = 1, b = 2", "(, (= a 1) (= b 2))" },
	{ "(a, b) * c", "(* (, a b) c)" },
	{ "*p++ + &x", "(+ (deref (postinc p)) (addrof x))" },
	{ "++a - --b", "(- (preinc a) (predec b))" },
	{ "+a--", "(plus (postdec a))" },
	/* names */
	{ "self->x + this->y", "(+ self->x this->y)" },
	{ "self->a[1, \"k\"]", "(index self->a 1 \"k\")" },
	{ "`jiffies + kernel`foo + libc.so.6`environ",
	    "(+ (+ `jiffies kernel`foo) libc.so.6`environ)" },
	{ "a.string->probe.self", "(. (-> (. a string) probe) self)" },
	{ "@ = count()", "(= (@_) (count))" },
	{ "@a[execname, 1] = sum(arg0)", "(= (@a execname 1) (sum arg0))" },
	{ "printf(\"%d\\n\", pid)", "(printf \"%d\\012\" pid)" },
	/* constants */
	{ "0 + 017 + 0x1F + 0b101", "(+ (+ (+ 0 15) 31) 5)" },
	{ "1u + 2L + 3ull + 4LLU", "(+ (+ (+ 1u 2l) 3ul) 4ul)" },
	{ "18446744073709551615", "18446744073709551615" },
	{ "'a'", "97" },
	{ "'abcd'", "1633837924" },
	{ "'\\n' + '\\0' + '\\x41' + '\\''", "(+ (+ (+ 10 0) 65) 39)" },
	{ "\"\\a\\b\\f\\n\\r\\t\\v\\\\\\\"\\101\\x42\\0z\"",
	    "\"\\007\\010\\014\\012\\015\\011\\013\\\\\\\"AB\\000z\"" },
	{ "\"a\\\nb\"", "\"ab\"" },
	/* types in expressions */
	{ "(int)a + (b)", "(+ (cast <int> a) b)" },
	{ "*(uint64_t *)copyin(arg1, 8)",
	    "(deref (cast <pointer to uint64_t> (copyin arg1 8)))" },
	{ "(struct a *)b", "(cast <pointer to struct a> b)" },
	{ "(struct unix`a *)b", "(cast <pointer to struct unix`a> b)" },
	{ "(userland const char *)b",
	    "(cast <pointer to const userland char> b)" },
	{ "(loff_t *)b", "(cast <pointer to loff_t> b)" },
	{ "(loff_t)b", "(cast <loff_t> b)" },
	{ "(a) - b", "(- a b)" },
	{ "(unsigned long long)-1", "(cast <unsigned long long int> (neg 1))" },
	{ "sizeof (int) * sizeof a", "(* (sizeof <int>) (sizeof a))" },
	{ "sizeof (int *[3])", "(sizeof <array[3] of pointer to int>)" },
	{ "sizeof (x).y", "(sizeof (. x y))" },
	{ "offsetof(struct s, m)", "(offsetof <struct s> m)" },
	{ "stringof(a) + stringof b", "(+ (stringof a) (stringof b))" },
	{ "xlate<struct t *>(a)->m", "(-> (xlate <pointer to struct t> a) m)" },
	/* blanks */
	{ "a/b", "(/ a b)" },
	{ "a /* + b */ + c", "(+ a c)" },
	{ "a \\\n + b", "(+ a b)" },
};

static void
test_exprs(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(exprs) / sizeof(exprs[0]); i++) {
		struct setup s;
		char *text = mem_printf("x { %s }", exprs[i].text);
		char *want = mem_printf(
		    "clause\n  probe :::x\n  expr %s\n", exprs[i].dump);

		setup_init(&s, text);
		assert_dump(&s, want);
		setup_fini(&s);
		free(text);
		free(want);
	}
}

static const struct tree_case decls[] = {
	{ "int x", "x: int" },
	{ "uint64_t x", "x: uint64_t" },
	{ "loff_t *x", "x: pointer to loff_t" },
	{ "string x[int, string]", "x: map[int, string] of string" },
	{ "int x[pid_t]", "x: map[pid_t] of int" },
	{ "char *x[3]", "x: array[3] of pointer to char" },
	{ "char (*x)[3]", "x: pointer to array[3] of char" },
	{ "int (*x)(int, char *, ...)",
	    "x: pointer to function(int, pointer to char, ...) returning int" },
	{ "const char *const *x", "x: pointer to const pointer to const char" },
	{ "int (*(*x)[2])(void)",
	    "x: pointer to array[2] of pointer to "
	    "function(void) returning int" },
	{ "self unsigned long x", "x: self unsigned long int" },
	{ "this struct s *x", "x: pointer to this struct s" },
	{ "extern volatile int x", "x: extern volatile int" },
	{ "static int x", "x: static int" },
	{ "struct s { int a : 3, *b; char c[4]; }",
	    "struct s { a: int : 3; b: pointer to int; "
	    "c: array[4] of char; }" },
	{ "union u { int a; struct { int b; } c; } x",
	    "x: union u { a: int; c: struct - { b: int; }; }" },
	{ "enum e { A, B = 3, C = B << 1, }",
	    "enum e { A, B = 3, C = (<< B 1), }" },
	{ "typedef struct s s_t", "s_t: typedef struct s" },
};

static void
test_decls(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(decls) / sizeof(decls[0]); i++) {
		struct setup s;
		char *text = mem_printf("%s;", decls[i].text);
		char *want = mem_printf("declare %s\n", decls[i].dump);

		setup_init(&s, text);
		assert_dump(&s, want);
		setup_fini(&s);
		free(text);
		free(want);
	}
}

static const struct tree_case programs[] = {
	/* probe descriptions */
	{ "BEGIN", "clause without body\n  probe :::BEGIN\n" },
	{ "read:entry", "clause without body\n  probe ::read:entry\n" },
	{ "a:b:c:d {}", "clause\n  probe a:b:c:d\n" },
	{ "::: {}", "clause\n  probe :::\n" },
	{ "syscall::*read*:[er]?* {}",
	    "clause\n  probe syscall::*read*:[er]?*\n" },
	{ "BEGIN, profile-997 , tick-1s{}",
	    "clause\n  probe :::BEGIN\n"
	    "  probe :::profile-997\n  probe :::tick-1s\n" },
	{ "1, 23 {}", "clause\n  probe 1\n  probe 23\n" },
	{ "a+b {}", "clause\n  probe :::a+b\n" },
	{ "pid$target:a.out:!main: {}",
	    "clause\n  probe pid42:a.out:!main:\n" },
	/* predicates: which '/' closes */
	{ "x/pid/{}", "clause\n  probe :::x\n  predicate pid\n" },
	{ "x /a / b == c/ /* c */\n{}",
	    "clause\n  probe :::x\n  predicate (== (/ a b) c)\n" },
	{ "x /a/\n#pragma D option quiet\n{}",
	    "option quiet\nclause\n  probe :::x\n  predicate a\n" },
	{ "x { a / b; }", "clause\n  probe :::x\n  expr (/ a b)\n" },
	/* statements */
	{ "x { }", "clause\n  probe :::x\n" },
	{ "x { ; a; { b; c } }",
	    "clause\n  probe :::x\n  empty\n  expr a\n"
	    "  expr b\n  expr c\n" },
	{ "x { if (a) b; else if (c) { d; e; } else f; }",
	    "clause\n  probe :::x\n  if a\n    expr b\n  else\n    if c\n"
	    "      expr d\n      expr e\n    else\n      expr f\n" },
	/* declarations among clauses; levels change with them */
	{ "int a, *b; x {} string c; y {}",
	    "declare a: int\n"
	    "declare b: pointer to int\nclause\n  probe :::x\n"
	    "declare c: string\nclause\n  probe :::y\n" },
	{ "typedef int t; t *x; z { y = sizeof (t); }",
	    "declare t: typedef int\ndeclare x: pointer to t\nclause\n"
	    "  probe :::z\n  expr (= y (sizeof <t>))\n" },
	{ "struct s { int a; } x, y;",
	    "declare x: struct s { a: int; }\n"
	    "declare y: struct s\n" },
	{ "inline int N = 3 + 4; x{}",
	    "inline N: int = (+ 3 4)\nclause\n  probe :::x\n" },
	{ "inline string f[int a] = \"x\";",
	    "inline f: map[a: int] of string = \"x\"\n" },
	/* control lines */
	{ "#!/usr/sbin/dtrace -s\nx{}", "clause\n  probe :::x\n" },
	{ "#pragma D option a\n#pragma D option b=1\n"
	  "  #  pragma D option c = \"d e\" /* f */\nx{}",
	    "option a\noption b=1\noption c=d e\nclause\n  probe :::x\n" },
	{ "#\n#ident \"x\"\n#pragma ident \"y\"\n#pragma once\nx{}",
	    "clause\n  probe :::x\n" },
	{ "x {\n#line 7 \"f\"\na; }", "clause\n  probe :::x\n  expr a\n" },
};

static void
test_programs(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		struct setup s;

		setup_init(&s, programs[i].text);
		assert_dump(&s, programs[i].dump);
		setup_fini(&s);
	}
}

/* ---- options of the compile ---------------------------------------------- */

static const struct {
	enum lang_pspec pspec;
	const char *text, *dump;
} pspecs[] = {
	{ LANG_PSPEC_PROVIDER, "a", "  probe a:::\n" },
	{ LANG_PSPEC_MOD, "a", "  probe :a::\n" },
	{ LANG_PSPEC_MOD, "a:b", "  probe a:b::\n" },
	{ LANG_PSPEC_FUNC, "a", "  probe ::a:\n" },
	{ LANG_PSPEC_FUNC, "a:b:c", "  probe a:b:c:\n" },
	{ LANG_PSPEC_NAME, "a:", "  probe ::a:\n" },
	{ LANG_PSPEC_NAME, "7", "  probe 7\n" },
};

static void
test_pspec(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(pspecs) / sizeof(pspecs[0]); i++) {
		struct setup s;
		char *want =
		    mem_printf("clause without body\n%s", pspecs[i].dump);

		setup_init(&s, pspecs[i].text);
		s.lc.pspec = pspecs[i].pspec;
		assert_dump(&s, want);
		setup_fini(&s);
		free(want);
	}
}

/* Option pspec: a star after the name of a type belongs to a description. */
static void
test_pspec_option(void **state)
{
	struct setup s;

	(void)state;
	setup_init(&s, "string* /a/ {}");
	s.lc.flags = LANG_F_PSPEC;
	assert_dump(&s, "clause\n  probe :::string*\n  predicate a\n");
	setup_fini(&s);
	setup_init(&s, "string *x;");
	assert_dump(&s, "declare x: pointer to string\n");
	setup_fini(&s);
}

static void
test_macros(void **state)
{
	static char a0[] = "./x.d", a1[] = "12", a2[] = "-0x10",
		    a3[] = "execname", a4[] = "a b", a5[] = "\"1\\t2\"",
		    a6[] = "\"";
	static char *const argv[] = { a0, a1, a2, a3, a4, a5, a6 };
	struct setup s;

	(void)state;
	setup_init(&s,
	    "$3-$1:$3$1: { f($1, $$1, $2, $3, $4, $$4, $0); "
	    "g($target, $$target); h($5, $$5, $6) }");
	s.lc.argc = 7;
	s.lc.argv = argv;
	assert_dump(&s,
	    "clause\n  probe :execname-12:execname12:\n"
	    "  expr (f 12 \"12\" (neg 16) execname \"a b\" \"a b\" "
	    "\"./x.d\")\n  expr (g 42 \"42\")\n"
	    "  expr (h \"1\\0112\" \"\\\"1\\\\t2\\\"\" \"\\\"\")\n");
	setup_fini(&s);
}

static void
test_macro_defaults(void **state)
{
	struct setup s;

	(void)state;
	setup_init(&s, "x { f($1, $$1) }");
	s.lc.flags = LANG_F_DEFARG;
	assert_dump(&s, "clause\n  probe :::x\n  expr (f 0 \"\")\n");
	setup_fini(&s);
}

static void
test_macro_unused(void **state)
{
	static char a0[] = "dtrace", a1[] = "1", a2[] = "2";
	static char *const argv[] = { a0, a1, a2 };
	struct setup s;

	(void)state;
	setup_init(&s, "x { f($1) }");
	s.lc.argc = 3;
	s.lc.argv = argv;
	assert_error(&s, "D_MACRO_UNUSED", 1);
	assert_int_equal(s.diags.list.n, 1);
	setup_fini(&s);
	setup_init(&s, "x { f($1) }");
	s.lc.argc = 3;
	s.lc.argv = argv;
	s.lc.flags = LANG_F_ARGREF;
	assert_dump(&s, "clause\n  probe :::x\n  expr (f 1)\n");
	setup_fini(&s);
}

static void
test_empty(void **state)
{
	struct setup s;

	(void)state;
	setup_init(&s, " /* nothing */ ");
	s.lc.flags = LANG_F_EMPTY;
	assert_dump(&s, "");
	setup_fini(&s);
}

/* ---- errors -------------------------------------------------------------- */

static const struct {
	const char *text, *tag;
	unsigned line;
} errors[] = {
	{ "", "D_EMPTY", 1 },
	{ "x { a b }", "D_SYNTAX", 1 },
	{ "x {\n a = ;\n}", "D_SYNTAX", 2 },
	{ "x {\n f(1;\n}", "D_SYNTAX", 2 },
	{ "x {\n a;\n", "D_SYNTAX", 2 },
	{ "x /a {}", "D_SYNTAX", 1 },
	{ "x /a/", "D_SYNTAX", 1 },
	{ "x y {}", "D_SYNTAX", 1 },
	{ "{ a }", "D_SYNTAX", 1 },
	{ "x {} }", "D_SYNTAX", 1 },
	{ "x { while (1) ; }", "D_SYNTAX", 1 },
	{ "x { int y; }", "D_SYNTAX", 1 },
	{ "x { self }", "D_SYNTAX", 1 },
	{ "int x\ny { }", "D_SYNTAX", 2 },
	{ "int x = 3;", "D_SYNTAX", 1 },
	{ "int;x{a b}", "D_SYNTAX", 1 },
	{ "int char x;", "D_DECL_COMBO", 1 },
	{ "self this int x;", "D_DECL_CLASS", 1 },
	{ "int f(self int);", "D_DECL_PARMCLASS", 1 },
	{ "int a`b;", "D_DECL_SCOPE", 1 },
	{ "x { offsetof(static int, a) }", "D_DECL_BADCLASS", 1 },
	{ "x { // a\n}", "D_SYNTAX", 1 },
	{ "/* /* */ x {}", "D_SYNTAX", 1 },
	{ "x {} /*", "D_SYNTAX", 1 },
	{ "x { a # b }", "D_SYNTAX", 1 },
	{ "x { a` }", "D_SYNTAX", 1 },
	{ "x { 1.5 }", "D_SYNTAX", 1 },
	{ "x { .5 }", "D_SYNTAX", 1 },
	{ "x { 1e9 }", "D_SYNTAX", 1 },
	{ "x { 08 }", "D_INT_DIGIT", 1 },
	{ "x { 12ab }", "D_INT_DIGIT", 1 },
	{ "x { 10sec }", "D_INT_DIGIT", 1 },
	{ "x { 10Ms }", "D_INT_DIGIT", 1 },
	{ "x { 10msu }", "D_INT_DIGIT", 1 },
	{ "x { 010ms }", "D_INT_DIGIT", 1 },
	{ "x { 0x10ms }", "D_INT_DIGIT", 1 },
	{ "x { 106752d }", "D_INT_OFLOW", 1 },
	{ "x { 9223372036854775808ns }", "D_INT_OFLOW", 1 },
	{ "x { 0x }", "D_INT_DIGIT", 1 },
	{ "x { 18446744073709551616 }", "D_INT_OFLOW", 1 },
	{ "x { 0x10000000000000000 }", "D_INT_OFLOW", 1 },
	{ "x { '' }", "D_CHR_NULL", 1 },
	{ "x { 'abcdefghi' }", "D_CHR_OFLOW", 1 },
	{ "x { 'a\n' }", "D_CHR_NL", 1 },
	{ "x {\n \"a\n\" }", "D_STR_NL", 2 },
	{ "x { @a[1][2] = count() }", "D_AGG_MDIM", 1 },
	{ "x { a.b(1) }", "D_FUNC_IDENT", 1 },
	{ "a:b:c:d:e {}", "D_PDESC_INVAL", 1 },
	{ "0 {}", "D_PDESC_INVAL", 1 },
	{ "4294967296 {}", "D_PDESC_INVAL", 1 },
	{ "x { $1 }", "D_MACRO_UNDEF", 1 },
	{ "x$1 { }", "D_MACRO_UNDEF", 1 },
	{ "x { $nothing }", "D_MACRO_UNDEF", 1 },
	{ "x { $projid }", "D_MACRO_UNDEF", 1 },
	{ "x { $ }", "D_SYNTAX", 1 },
	{ "\n#define X\nx{}", "D_PRAGCTL_INVAL", 2 },
	{ "x{}\n#!late", "D_PRAGCTL_INVAL", 2 },
	{ "#line x", "D_PRAGCTL_INVAL", 1 },
	{ "#error no", "D_PRAGERR", 1 },
	{ "#pragma D error no", "D_PRAGERR", 1 },
	{ "#pragma D option", "D_PRAGMA_MALFORM", 1 },
	{ "#pragma D option a b", "D_PRAGMA_MALFORM", 1 },
	{ "#pragma D nothing", "D_PRAGMA_INVAL", 1 },
	{ "#pragma D depends_on library", "D_PRAGMA_MALFORM", 1 },
	{ "#pragma D depends_on library x.d y", "D_PRAGMA_MALFORM", 1 },
	{ "#pragma D binding 1.0 x", "D_PRAGMA_MALFORM", 1 },
	{ "#pragma D attributes", "D_PRAGMA_MALFORM", 1 },
	{ "#pragma D attributes a/b/c provider x", "D_PRAGMA_MALFORM", 1 },
	{ "x {\n#pragma D binding \"1.0\" x\n}", "D_PRAGMA_SCOPE", 2 },
	{ "#line 70 \"f\"\nx {\na b }", "D_SYNTAX", 71 },
	{ "# 9 \"f\" 2\nx { a b }", "D_SYNTAX", 9 },
	{ "translator struct a < struct b * > { d = 1; };", "D_SYNTAX", 1 },
	{ "translator struct a < struct b *c > { d; };", "D_SYNTAX", 1 },
	{ "translator struct a b *c { d = 1; };", "D_DECL_IDENT", 1 },
	{ "provider p { q(int); };", "D_SYNTAX", 1 },
	{ "provider p { probe q; };", "D_SYNTAX", 1 },
	{ "provider p { probe q(self int); };", "D_DECL_PARMCLASS", 1 },
};

static void
test_errors(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		struct setup s;

		setup_init(&s, errors[i].text);
		assert_error(&s, errors[i].tag, errors[i].line);
		setup_fini(&s);
	}
}

static void
test_target_undefined(void **state)
{
	struct setup s;

	(void)state;
	setup_init(&s, "pid$target:::entry {}");
	s.lc.target = -1;
	assert_error(&s, "D_MACRO_UNDEF", 1);
	setup_fini(&s);
}

/* Functions in headers are skipped, whatever follows them. */
static void
test_header_functions(void **state)
{
	struct setup s;

	(void)state;
	setup_init(&s,
	    "static int f(int a[], char *b) { if (a) { ; } }\n"
	    "struct s *g(void) { return 0; }\nextern int h(int x);\nx { a }");
	s.lc.flags = LANG_F_CPP;
	lang_parse(&s.lc);
	assert_int_equal(s.diags.list.n, 0);
	setup_fini(&s);
	setup_init(&s, "static int f(int a) { if (a) { ; } }\nx { a }");
	assert_error(&s, "D_SYNTAX", 1);
	assert_int_equal(s.diags.list.n, 1);
	setup_fini(&s);
}

/* The parser does not repeat an error that the lexer has reported. */
static void
test_one_mistake_one_error(void **state)
{
	static const struct {
		const char *text, *tag;
	} cases[] = {
		{ "BEGIN { printf(\"abc); exit(0); }", "D_STR_NL" },
		{ "BEGIN { printf(\"abc);\n\texit(0);\n}\nEND { a; }",
		    "D_STR_NL" },
		{ "BEGIN { printf(\"abc\n\\\"\"); exit(0);\n}\nEND { }",
		    "D_STR_NL" },
		{ "BEGIN { printf(\"abc\n\n\", 1); x = \"y\" }", "D_STR_NL" },
		{ "BEGIN { f(\"abc);\n g(\"abc\"); }", "D_STR_NL" },
		{ "BEGIN /execname == \"a/ {\n a; }", "D_STR_NL" },
		{ "BEGIN { x = 'ab; exit(0); }", "D_CHR_NL" },
		{ "BEGIN { x = 5 # 3; y = 1 }", "D_SYNTAX" },
		{ "BEGIN { for (x = 0; x < 5; x++) { y; } z; }", "D_SYNTAX" },
		{ "BEGIN { x = #; y = 1 }", "D_SYNTAX" },
		{ "BEGIN { printf(\342\200\234a\342\200\235); }", "D_SYNTAX" },
		{ "# 1\n 'a\nBEGIN { }", "D_CHR_NL" },
		{ "BEGIN { x = 1 /* a\n}", "D_SYNTAX" },
		{ "BEGIN { /* a /* b */ c */ x = 1 }", "D_SYNTAX" },
		{ "BEGIN { x = 1; } // a\nEND { }", "D_SYNTAX" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct setup s;

		setup_init(&s, cases[i].text);
		assert_error(&s, cases[i].tag, 1);
		if (s.diags.list.n != 1)
			fail_msg("%s: then %s", cases[i].text,
			    s.diags.list.v[1].msg);
		setup_fini(&s);
	}
}

static void
test_macro_overflow(void **state)
{
	static char a0[] = "dtrace", a1[] = "99999999999999999999";
	static char *const argv[] = { a0, a1 };
	struct setup s;

	(void)state;
	setup_init(&s, "x { $1 }");
	s.lc.argc = 2;
	s.lc.argv = argv;
	assert_error(&s, "D_MACRO_OFLOW", 1);
	setup_fini(&s);
}

/* A clause without a body in a file is an error: the rest may have been
 * forgotten. */
static void
test_bare_in_file(void **state)
{
	struct setup s;

	(void)state;
	setup_init(&s, "BEGIN\n");
	s.lc.name = "x.d";
	assert_error(&s, "D_SYNTAX", 1);
	setup_fini(&s);
}

/* The message for a person: place, text, expected and found. */
static void
test_message(void **state)
{
	struct setup s;
	struct strbuf sb = { 0 };

	(void)state;
	setup_init(&s, "BEGIN\n{\n\ttrace(pid;\n}\n");
	s.lc.name = "x.d";
	lang_parse(&s.lc);
	diags_format(&s.diags, 1, &sb);
	assert_string_equal(sb.s,
	    "dtrace: x.d:3: error: [D_SYNTAX] expected "
	    "')' after the argument list, found ';'\n"
	    "    \ttrace(pid;\n"
	    "    \t         ^\n");
	strbuf_fini(&sb);
	setup_fini(&s);
}

/* Recovery: each mistake in statements and clauses is reported once. */
static void
test_recovery(void **state)
{
	struct setup s;
	const char *file;

	(void)state;
	setup_init(&s,
	    "a { x = ;\n y = 1; z = (;\n w = 2 }\n"
	    "b /,/ { f(); }\n int c\n d { }\n e { good(); }\n f { 08; @[; }");
	lang_parse(&s.lc);
	assert_int_equal(s.diags.list.n, 6);
	for (size_t i = 0; i < 6; i++) {
		static const unsigned lines[] = { 1, 2, 4, 6, 8, 8 };

		assert_int_equal(
		    diag_line(&s.diags, s.diags.list.v[i].span, &file),
		    lines[i]);
	}
	setup_fini(&s);
}

/* Hostile text stops after 20 messages, and nesting is limited. */
static void
test_limits(void **state)
{
	struct strbuf text = { 0 };
	struct setup s;

	(void)state;
	for (int i = 0; i < 1000; i++)
		strbuf_adds(&text, "x { = ; }\n");
	setup_init(&s, text.s);
	lang_parse(&s.lc);
	assert_int_equal(s.diags.list.n, 20);
	assert_non_null(s.diags.list.v[19].hint);
	setup_fini(&s);
	strbuf_reset(&text);
	strbuf_adds(&text, "x { ");
	for (int i = 0; i < 100000; i++)
		strbuf_adds(&text, "-(");
	setup_init(&s, text.s);
	assert_error(&s, "D_SYNTAX", 1);
	setup_fini(&s);
	strbuf_fini(&text);
}

/* ---- tokens -------------------------------------------------------------- */

static void
test_tokens(void **state)
{
	struct setup s;
	struct strbuf sb = { 0 };

	(void)state;
	setup_init(&s, "a:b /x/\n{ @q = f(1, \"s\"); }\nint y;");
	lang_dump_tokens(&s.lc, &sb);
	assert_string_equal(sb.s,
	    "1\tPDESC\ta:b\n1\tPRED_OPEN\t'/'\n1\tIDENT\tx\n"
	    "1\tPRED_CLOSE\t'/'\n2\tPUNCT\t{\n2\tAGG\tq\n2\tPUNCT\t=\n"
	    "2\tIDENT\tf\n2\tPUNCT\t(\n2\tINT\t1\n2\tPUNCT\t,\n"
	    "2\tSTR\t\"s\"\n2\tPUNCT\t)\n2\tPUNCT\t;\n2\tPUNCT\t}\n"
	    "3\tKEYWORD\tint\n3\tIDENT\ty\n3\tPUNCT\t;\n");
	assert_int_equal(s.diags.list.n, 0);
	strbuf_fini(&sb);
	setup_fini(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exprs),
		cmocka_unit_test(test_decls),
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_pspec),
		cmocka_unit_test(test_pspec_option),
		cmocka_unit_test(test_macros),
		cmocka_unit_test(test_macro_defaults),
		cmocka_unit_test(test_macro_unused),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_target_undefined),
		cmocka_unit_test(test_header_functions),
		cmocka_unit_test(test_one_mistake_one_error),
		cmocka_unit_test(test_macro_overflow),
		cmocka_unit_test(test_bare_in_file),
		cmocka_unit_test(test_message),
		cmocka_unit_test(test_recovery),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_tokens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
