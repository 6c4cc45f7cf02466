/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Read a policy: lines of words.
 *
 *	author NAME
 *	SETTING VALUE ...
 *
 * A setting belongs to the author above it.  An unknown word, a second setting
 * of one kind, and a value that is not wholly understood are errors: a policy
 * that is half understood could permit what its writer forbade.
 */
#include "fleet/policy.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/glob.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/regular.h"
#include "base/str.h"
#include "base/vec.h"
#include "fleet/owner.h"

#define AUTHORS_MAX 1024
#define WORDS_MAX 256 /* of a line */
#define WORD_MAX 255  /* bytes */

struct fl_policy {
	struct arena memory;
	VEC(struct fl_author) authors;
};

enum setting_form {
	KEY,
	PATTERNS,
	SUBSTRATES,
	YESNO,
	DURATION,
	SIZE,
	PERCENT,
	DATE
};

struct policy_setting {
	const char *word;
	enum setting_form form;
	size_t off; /* of the member in struct fl_author */
	const char *expected;
};

static const struct policy_setting settings[] = {
#define FL_SETTING(word, form, member, expected)                               \
	{ #word, form, offsetof(struct fl_author, member), expected },
#include "fleet/policy.def"
#undef FL_SETTING
};
#define NSETTINGS (sizeof(settings) / sizeof(settings[0]))

struct policy_word {
	char *s; /* the arena owns it */
	unsigned column;
};

struct policy_parser {
	struct fl_policy *policy;
	const char *name;
	unsigned line;
	unsigned author_line;
	bool is_set[NSETTINGS]; /* for the present author */
	struct policy_word words[WORDS_MAX];
	size_t nwords;
	struct err *err;
};

static int __attribute__((format(printf, 3, 4)))
fail(struct policy_parser *p, unsigned column, const char *fmt, ...)
{
	va_list ap;
	struct strbuf sb = { 0 };

	strbuf_printf(&sb, "%s:%u:%u: ", p->name, p->line, column);
	va_start(ap, fmt);
	strbuf_vprintf(&sb, fmt, ap);
	va_end(ap);
	return err_take(p->err, -EINVAL, strbuf_steal(&sb));
}

static int
fail_value(struct policy_parser *p, const struct policy_setting *s,
    const struct policy_word *w)
{
	return fail(p, w->column, "'%s' is no value of %s: expected %s", w->s,
	    s->word, s->expected);
}

static struct fl_author *
present(struct policy_parser *p)
{
	return &p->policy->authors.v[p->policy->authors.n - 1];
}

/* ---- values ------------------------------------------------------------- */

/* Read digits; false: none, or more than fit. */
static bool
read_digits(const char **s, uint64_t *v)
{
	const char *begin = *s;

	for (*v = 0; **s >= '0' && **s <= '9'; (*s)++) {
		if (__builtin_mul_overflow(*v, 10, v) ||
		    __builtin_add_overflow(*v, (uint64_t)(**s - '0'), v))
			return false;
	}
	return *s != begin;
}

struct policy_unit {
	char letter;
	uint64_t factor;
};

/* A number above 0 with one of the units behind it. */
static bool
read_scaled(const char *s, const struct policy_unit *units, uint64_t *v)
{
	if (!read_digits(&s, v) || *v == 0)
		return false;
	for (; units->letter != '\0'; units++) {
		if (*s == units->letter)
			return s[1] == '\0' &&
			    !__builtin_mul_overflow(*v, units->factor, v);
	}
	return false;
}

static bool
read_duration(const char *s, uint64_t *v)
{
	static const struct policy_unit units[] = { { 's', 1000000000 },
		{ 'm', 60000000000 }, { 'h', 3600000000000 },
		{ 'd', 86400000000000 }, { '\0', 0 } };

	return read_scaled(s, units, v);
}

static bool
read_size(const char *s, uint64_t *v)
{
	static const struct policy_unit units[] = { { 'k', 1U << 10 },
		{ 'm', 1U << 20 }, { 'g', 1U << 30 }, { '\0', 0 } };

	return read_scaled(s, units, v);
}

/* Percents with one digit after the point: thousandths. */
static bool
read_percent(const char *s, uint64_t *v)
{
	uint64_t tenth = 0;

	if (!read_digits(&s, v))
		return false;
	if (*s == '.') {
		if (s[1] < '0' || s[1] > '9')
			return false;
		tenth = (uint64_t)(s[1] - '0');
		s += 2;
	}
	*v = *v * 10 + tenth;
	return *s == '\0' && *v > 0 && *v <= 1000000;
}

/* The end of a day in UTC. */
static bool
read_date(const char *s, uint64_t *v)
{
	struct tm tm = { 0 }, again;
	const char *end = strptime(s, "%Y-%m-%d", &tm);
	time_t t = timegm(&tm);
	char text[16];

	if (end == NULL || *end != '\0' || t <= 0 ||
	    gmtime_r(&t, &again) == NULL ||
	    strftime(text, sizeof(text), "%Y-%m-%d", &again) == 0 ||
	    strcmp(text, s) != 0)
		return false;
	*v = ((uint64_t)t + 86400) * 1000000000;
	return true;
}

static bool
read_yesno(const char *s, bool *v)
{
	*v = strcmp(s, "yes") == 0;
	return *v || strcmp(s, "no") == 0;
}

static bool
read_substrate(const char *s, unsigned *bits)
{
	if (strcmp(s, "kernel") == 0)
		*bits |= FL_KERNEL;
	else if (strcmp(s, "process") == 0)
		*bits |= FL_PROCESS;
	else if (strcmp(s, "both") == 0)
		*bits |= FL_KERNEL | FL_PROCESS;
	else
		return false;
	return true;
}

/* ---- settings ----------------------------------------------------------- */

static int
set_key(struct policy_parser *p, const struct policy_setting *s,
    struct fl_author *a)
{
	const struct policy_word *w = &p->words[1];
	const struct fl_author *other;
	struct err why = { 0 };

	if (fl_public_parse(w->s, a->key, &why) != 0) {
		if (why.code != -EINVAL)
			return err_move(p->err, &why);
		err_clear(&why);
		return fail_value(p, s, w);
	}
	other = fl_policy_find(p->policy, a->key);
	if (other != NULL)
		return fail(
		    p, w->column, "the key is that of %s, too", other->name);
	a->has_key = true;
	return 0;
}

static int
set_patterns(struct policy_parser *p, const char ***list)
{
	const char **v =
	    arena_alloc(&p->policy->memory, p->nwords * sizeof(*v));

	for (size_t i = 1; i < p->nwords; i++)
		v[i - 1] = p->words[i].s;
	*list = v;
	return 0;
}

static int
set_substrates(
    struct policy_parser *p, const struct policy_setting *s, unsigned *bits)
{
	for (size_t i = 1; i < p->nwords; i++) {
		if (!read_substrate(p->words[i].s, bits))
			return fail_value(p, s, &p->words[i]);
	}
	return 0;
}

static bool
read_value(const struct policy_setting *s, const char *text, void *member)
{
	switch (s->form) {
	case YESNO:
		return read_yesno(text, member);
	case DURATION:
		return read_duration(text, member);
	case SIZE:
		return read_size(text, member);
	case PERCENT:
		return read_percent(text, member);
	case DATE:
		return read_date(text, member);
	case KEY:
	case PATTERNS:
	case SUBSTRATES:
		break;
	}
	return false;
}

static int
set_value(struct policy_parser *p, const struct policy_setting *s,
    struct fl_author *a)
{
	void *member = (char *)a + s->off;

	if (s->form == PATTERNS)
		return set_patterns(p, member);
	if (s->form == SUBSTRATES)
		return set_substrates(p, s, member);
	if (p->nwords > 2)
		return fail(
		    p, p->words[2].column, "%s takes one value", s->word);
	if (s->form == KEY)
		return set_key(p, s, a);
	return read_value(s, p->words[1].s, member) ?
	    0 :
	    fail_value(p, s, &p->words[1]);
}

static int
fail_unknown(struct policy_parser *p)
{
	struct near near = near_start(p->words[0].s);

	near_try(&near, "author");
	for (size_t i = 0; i < NSETTINGS; i++)
		near_try(&near, settings[i].word);
	return fail(p, p->words[0].column, "unknown setting '%s'%s%s%s",
	    p->words[0].s, near.name != NULL ? "; did you mean '" : "",
	    near.name != NULL ? near.name : "", near.name != NULL ? "'?" : "");
}

static int
parse_setting(struct policy_parser *p)
{
	for (size_t i = 0; i < NSETTINGS; i++) {
		const struct policy_setting *s = &settings[i];

		if (strcmp(s->word, p->words[0].s) != 0)
			continue;
		if (p->policy->authors.n == 0)
			return fail(p, p->words[0].column,
			    "%s belongs below a line 'author NAME'", s->word);
		if (p->is_set[i])
			return fail(p, p->words[0].column,
			    "%s is set twice for %s", s->word,
			    present(p)->name);
		if (p->nwords < 2)
			return fail(p, p->words[0].column,
			    "%s has no value: expected %s", s->word,
			    s->expected);
		p->is_set[i] = true;
		return set_value(p, s, present(p));
	}
	return fail_unknown(p);
}

/* ---- authors ------------------------------------------------------------ */

/* An author without a key could never ask for anything. */
static int
end_author(struct policy_parser *p)
{
	if (p->policy->authors.n == 0 || present(p)->has_key)
		return 0;
	p->line = p->author_line;
	return fail(p, 1, "author %s has no key", present(p)->name);
}

static bool
is_known(const struct fl_policy *policy, const char *name)
{
	VEC_FOREACH(&policy->authors, a) {
		if (strcmp(a->name, name) == 0)
			return true;
	}
	return false;
}

static int
begin_author(struct policy_parser *p)
{
	static const char *nothing[] = { NULL };
	int rc = end_author(p);

	if (rc != 0)
		return rc;
	if (p->nwords != 2)
		return fail(p, p->words[0].column,
		    "an author has one name: 'author NAME'");
	if (is_known(p->policy, p->words[1].s))
		return fail(p, p->words[1].column, "author %s is there twice",
		    p->words[1].s);
	if (p->policy->authors.n == AUTHORS_MAX)
		return fail(
		    p, 1, "there are more than %d authors", AUTHORS_MAX);
	VEC_PUSH(&p->policy->authors,
	    (struct fl_author){ .name = p->words[1].s,
		.hosts = nothing,
		.providers = nothing });
	memset(p->is_set, 0, sizeof(p->is_set));
	p->author_line = p->line;
	return 0;
}

/* ---- lines -------------------------------------------------------------- */

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The word that begins at `from`; returns its end. */
static size_t
word_length(const char *line, size_t len, size_t from)
{
	size_t to = from;

	while (to < len && !is_blank(line[to]) && line[to] != '#')
		to++;
	return to - from;
}

static int
add_word(struct policy_parser *p, const char *line, size_t from, size_t n)
{
	unsigned column = (unsigned)from + 1;

	if (n > WORD_MAX)
		return fail(
		    p, column, "a word is longer than %d characters", WORD_MAX);
	if (p->nwords == WORDS_MAX)
		return fail(
		    p, column, "a line has more than %d words", WORDS_MAX);
	for (size_t i = from; i < from + n; i++) {
		if (line[i] <= ' ' || line[i] > '~')
			return fail(p, (unsigned)i + 1,
			    "character 0x%02x is not permitted here",
			    (unsigned char)line[i]);
	}
	p->words[p->nwords++] = (struct policy_word){
		arena_strndup(&p->policy->memory, line + from, n), column
	};
	return 0;
}

static int
parse_line(struct policy_parser *p, const char *line, size_t len)
{
	size_t at = 0;
	int rc;

	p->nwords = 0;
	while (at < len && line[at] != '#') {
		size_t n = word_length(line, len, at);

		rc = n != 0 ? add_word(p, line, at, n) : 0;
		if (rc != 0)
			return rc;
		at += n != 0 ? n : 1;
	}
	if (p->nwords == 0)
		return 0;
	return strcmp(p->words[0].s, "author") == 0 ? begin_author(p) :
						      parse_setting(p);
}

static int
parse(struct policy_parser *p, const char *text, size_t len)
{
	int rc = 0;

	for (size_t at = 0; at < len && rc == 0;) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t n = end != NULL ? (size_t)(end - text) - at : len - at;

		p->line++;
		rc = parse_line(p, text + at, n);
		at += n + 1;
	}
	return rc == 0 ? end_author(p) : rc;
}

struct fl_policy *
fl_policy_parse(const char *name, const char *text, size_t len, struct err *err)
{
	struct fl_policy *policy;
	struct policy_parser *p;
	int rc;

	if (len > FL_POLICY_MAX) {
		err_set(err, -EINVAL, "%s: a policy has at most %u bytes", name,
		    FL_POLICY_MAX);
		return NULL;
	}
	policy = mem_alloc(sizeof(*policy));
	arena_init(&policy->memory);
	p = mem_alloc(sizeof(*p));
	*p = (struct policy_parser){
		.policy = policy, .name = name, .err = err
	};
	rc = parse(p, text, len);
	free(p);
	if (rc == 0)
		return policy;
	fl_policy_destroy(policy);
	return NULL;
}

/* ---- files -------------------------------------------------------------- */

static int
check_owner(const char *path, const struct stat *st, struct err *err)
{
	int rc = fl_owner_check(path, "the policy", st, err);

	if (rc != 0)
		return rc;
	if (st->st_size > FL_POLICY_MAX)
		return err_set(err, -EINVAL,
		    "%s: a policy has at most %u bytes", path, FL_POLICY_MAX);
	return 0;
}

static char *
read_text(int fd, const char *path, size_t *len, struct err *err)
{
	struct stat st;
	char *text;

	if (fstat(fd, &st) != 0) {
		err_set(err, -errno, "%s: %s", path, strerror(errno));
		return NULL;
	}
	if (check_owner(path, &st, err) != 0)
		return NULL;
	*len = (size_t)st.st_size;
	text = mem_read_file(fd, *len);
	if (text == NULL)
		err_set(err, -EIO, "%s: the policy cannot be read", path);
	return text;
}

struct fl_policy *
fl_policy_read(const char *path, struct err *err)
{
	struct fl_policy *policy = NULL;
	int fd = regular_open(path);
	size_t len;
	char *text;

	if (fd < 0) {
		err_set(err, fd, "%s: %s", path,
		    fd == -EINVAL ? "not a regular file" : strerror(-fd));
		return NULL;
	}
	text = read_text(fd, path, &len, err);
	if (text != NULL)
		policy = fl_policy_parse(path, text, len, err);
	free(text);
	close(fd);
	return policy;
}

void
fl_policy_destroy(struct fl_policy *p)
{
	if (p == NULL)
		return;
	VEC_FREE(&p->authors);
	arena_fini(&p->memory);
	free(p);
}

/* ---- questions ---------------------------------------------------------- */

size_t
fl_policy_nauthors(const struct fl_policy *p)
{
	return p->authors.n;
}

const struct fl_author *
fl_policy_author(const struct fl_policy *p, size_t i)
{
	return &p->authors.v[i];
}

const struct fl_author *
fl_policy_find(const struct fl_policy *p, const uint8_t key[FL_PUBLIC_SIZE])
{
	VEC_FOREACH(&p->authors, a) {
		if (a->has_key && memcmp(a->key, key, FL_PUBLIC_SIZE) == 0)
			return a;
	}
	return NULL;
}

bool
fl_policy_matches(const char *const patterns[], const char *name)
{
	for (; *patterns != NULL; patterns++) {
		if (glob_match(*patterns, name))
			return true;
	}
	return false;
}
