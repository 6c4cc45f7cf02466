/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options: values from text, by the rules of each type, within the limits of
 * each row.  Every message says which values are valid.
 */
#include "libdtrace/options.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/str.h"
#include "base/vec.h"
#include "consume/consume.h"
#include "dif/attr.h"
#include "libdtrace/listen.h"
#include "provider/provider.h"

const struct dt_optinfo dt_optinfo[DT_OPT_MAX] = {
#define DT_OPTION(NAME, name, num, cls, type, def, min, max, choices, why)     \
	[DT_OPT_##NAME] = { name, num, DT_OPT_##cls, DT_OPT_##type, def, min,  \
		max, choices, why },
#include "libdtrace/options.def"
#undef DT_OPTION
};

/* ---- values ------------------------------------------------------------- */

/* Digits, then an optional k, m, g or t.  Returns false for other text. */
static bool
parse_size(const char *s, int64_t *out)
{
	static const char suffixes[] = "kmgt";
	unsigned long long n;
	const char *suffix;
	char *end;

	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	n = strtoull(s, &end, 0);
	if (errno != 0)
		return false;
	if (*end != '\0') {
		suffix = strchr(suffixes, tolower((unsigned char)*end));
		if (suffix == NULL || end[1] != '\0')
			return false;
		for (; suffix >= suffixes; suffix--) {
			if (__builtin_mul_overflow(n, 1024, &n))
				return false;
		}
	}
	if (n > INT64_MAX)
		return false;
	*out = (int64_t)n;
	return true;
}

static bool
parse_number(const char *s, int64_t *out)
{
	char *end;

	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	*out = strtoll(s, &end, 0);
	return errno == 0 && *end == '\0';
}

static bool
parse_flag(const char *s, int64_t *out)
{
	static const char *const words[][2] = { { "off", "on" },
		{ "no", "yes" }, { "false", "true" }, { "unset", "set" },
		{ "disable", "enable" }, { "disabled", "enabled" } };

	*out = 1;
	if (s == NULL)
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		for (int k = 0; k < 2; k++) {
			if (strcasecmp(s, words[i][k]) == 0) {
				*out = k;
				return true;
			}
		}
	}
	if (!parse_number(s, out))
		return false;
	*out = *out != 0;
	return true;
}

/* A time or a rate; values beyond 64 bits become the longest or shortest. */
static bool
parse_rate(const char *s, int64_t *out)
{
	size_t ndigits = strspn(s, "0123456789");
	uint64_t ns;
	int rc = dt_parse_period(s, false, &ns);

	if (rc == -EINVAL)
		return false;
	if (rc == 0 && ns <= INT64_MAX)
		*out = (int64_t)ns;
	else if (strcasecmp(s + ndigits, "hz") == 0 &&
	    strspn(s, "0") != ndigits)
		*out = 0;
	else
		*out = INT64_MAX;
	return true;
}

static bool
parse_choice(const char *choices, const char *s, int64_t *out)
{
	size_t len = strlen(s);

	for (int64_t i = 0;; i++) {
		size_t n = strcspn(choices, "|");

		if (n == len && memcmp(choices, s, n) == 0) {
			*out = i;
			return true;
		}
		if (choices[n] == '\0')
			return false;
		choices += n + 1;
	}
}

/*
 * Is it a /proc file system?  One of another pid namespace shows other
 * processes.
 */
static bool
is_procfs(const char *path)
{
	struct stat ours, theirs;

	return stat("/proc", &ours) == 0 && stat(path, &theirs) == 0 &&
	    ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

/* Check texts that must have a form. */
static bool
is_well_formed(const struct dt_optinfo *info, const char *s)
{
	struct percents percents;
	struct dif_attr attr;

	if (info == &dt_optinfo[DT_OPT_AGGPCT])
		return pf_percents_parse(s, &percents);
	if (info == &dt_optinfo[DT_OPT_AMIN])
		return dif_attr_parse(s, &attr);
	if (info == &dt_optinfo[DT_OPT_LISTEN])
		return dt_listen_is_address(s);
	if (info == &dt_optinfo[DT_OPT_VERSION])
		return dif_version_parse(s) != 0;
	if (info == &dt_optinfo[DT_OPT_SETENV] ||
	    info == &dt_optinfo[DT_OPT_FLEETLABEL])
		return *s != '=' && strchr(s, '=') != NULL;
	if (info == &dt_optinfo[DT_OPT_PROCFSPATH])
		return is_procfs(s);
	if (info == &dt_optinfo[DT_OPT_UNSETENV])
		return *s != '\0' && strchr(s, '=') == NULL;
	return *s != '\0';
}

static bool
parse_value(const struct dt_optinfo *info, const char *s, int64_t *out)
{
	switch (info->type) {
	case DT_OPT_FLAG:
		return parse_flag(s, out);
	case DT_OPT_SIZE:
		return parse_size(s, out);
	case DT_OPT_NUMBER:
		return parse_number(s, out);
	case DT_OPT_DEPTH:
		*out = info->min; /* in the range */
		return s == NULL || parse_number(s, out);
	case DT_OPT_RATE:
		return parse_rate(s, out);
	case DT_OPT_ENUM:
		return parse_choice(info->choices, s, out);
	case DT_OPT_STRING:
	case DT_OPT_LIST:
		*out = 0;
		return is_well_formed(info, s);
	}
	return false;
}

/* ---- messages ----------------------------------------------------------- */

static void
say_size(struct strbuf *sb, int64_t n)
{
	static const char suffixes[] = " kmgt";
	size_t i = 0;

	while (i < 4 && n != 0 && n % 1024 == 0) {
		n /= 1024;
		i++;
	}
	strbuf_printf(sb, "%lld", (long long)n);
	if (i > 0)
		strbuf_addc(sb, suffixes[i]);
}

static void
say_time(struct strbuf *sb, int64_t ns)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = { { "day", 86400000000000 }, { "s", 1000000000 },
		{ "ms", 1000000 }, { "us", 1000 }, { "ns", 1 } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (ns % units[i].ns == 0) {
			strbuf_printf(sb, "%lld%s",
			    (long long)(ns / units[i].ns), units[i].name);
			return;
		}
	}
}

static void
say_range(struct strbuf *sb, const struct dt_optinfo *info,
    void (*say)(struct strbuf *, int64_t))
{
	strbuf_adds(sb, " from ");
	say(sb, info->min);
	strbuf_adds(sb, " to ");
	say(sb, info->max);
}

static void
say_number(struct strbuf *sb, int64_t n)
{
	strbuf_printf(sb, "%lld", (long long)n);
}

/* The allowed values of the option: completes "expected ...". */
static void
say_allowed(struct strbuf *sb, const struct dt_optinfo *info)
{
	switch (info->type) {
	case DT_OPT_FLAG:
		strbuf_adds(sb, "on or off, or no value");
		break;
	case DT_OPT_SIZE:
		strbuf_adds(sb, "a size in bytes or with k, m, g or t,");
		say_range(sb, info, say_size);
		break;
	case DT_OPT_RATE:
		strbuf_adds(sb,
		    "a time or a rate, such as 100ms, 2s or "
		    "10hz");
		break;
	case DT_OPT_NUMBER:
		strbuf_adds(sb, "a number");
		say_range(sb, info, say_number);
		break;
	case DT_OPT_DEPTH:
		strbuf_adds(sb, "no value, or a number");
		say_range(sb, info, say_number);
		break;
	case DT_OPT_ENUM:
		strbuf_adds(sb, "one of ");
		for (const char *p = info->choices; *p != '\0'; p++) {
			if (*p == '|')
				strbuf_adds(sb, ", ");
			else
				strbuf_addc(sb, *p);
		}
		break;
	case DT_OPT_STRING:
	case DT_OPT_LIST:
		strbuf_adds(
		    sb, info->choices != NULL ? info->choices : "a text");
		break;
	}
}

void
dt_options_note(struct dt_options *o, char *text)
{
	VEC_FOREACH(&o->notes, note) {
		if (strcmp(*note, text) == 0) {
			free(text);
			return;
		}
	}
	VEC_PUSH(&o->notes, text);
}

/* A rate beyond the limits becomes the nearest one within them. */
static int64_t
clamp_rate(struct dt_options *o, const struct dt_optinfo *info,
    const char *text, int64_t num)
{
	int64_t limit = num < info->min ? info->min : info->max;
	struct strbuf sb = { 0 };

	if (num >= info->min && num <= info->max)
		return num;
	strbuf_printf(&sb, "option %s: %s is ", info->name, text);
	strbuf_adds(&sb, num < info->min ? "below" : "above");
	strbuf_adds(&sb, " the limit; it is ");
	say_time(&sb, limit);
	dt_options_note(o, strbuf_steal(&sb));
	return limit;
}

CHECKED static int
refuse_value(const struct dt_optinfo *info, const char *value, struct err *err)
{
	struct strbuf sb = { 0 };

	strbuf_printf(&sb, "option %s: expected ", info->name);
	say_allowed(&sb, info);
	if (value != NULL)
		strbuf_printf(&sb, "; found '%s'", value);
	else
		strbuf_adds(&sb, "; no value was given");
	return err_take(err, -EINVAL, strbuf_steal(&sb));
}

CHECKED static int
refuse_name(const char *name, struct err *err)
{
	struct near n = near_start(name);

	for (enum dt_opt i = 0; i < DT_OPT_MAX; i++)
		near_try(&n, dt_optinfo[i].name);
	if (n.name != NULL)
		err_set(err, -EINVAL,
		    "there is no option '%s'; did you mean '%s'?", name,
		    n.name);
	else
		err_set(err, -EINVAL, "there is no option '%s'", name);
	return -EINVAL;
}

/* ------------------------------------------------------------------------- */

enum dt_opt
dt_options_find(const char *name)
{
	enum dt_opt i;

	for (i = 0; i < DT_OPT_MAX; i++) {
		if (strcmp(dt_optinfo[i].name, name) == 0)
			break;
	}
	return i;
}

static bool
in_range(const struct dt_optinfo *info, int64_t num)
{
	switch (info->type) {
	case DT_OPT_SIZE:
	case DT_OPT_RATE:
	case DT_OPT_NUMBER:
	case DT_OPT_DEPTH:
		return num >= info->min && num <= info->max;
	case DT_OPT_FLAG:
	case DT_OPT_ENUM:
	case DT_OPT_STRING:
	case DT_OPT_LIST:
		break;
	}
	return true;
}

static void
store(const struct dt_optinfo *info, struct dt_optval *val, int64_t num,
    const char *text)
{
	val->has_value = true;
	val->num = text == NULL && info->type == DT_OPT_DEPTH ? 0 : num;
	if (info->type == DT_OPT_STRING && val->strs.n != 0)
		free(val->strs.v[--val->strs.n]);
	if (info->type == DT_OPT_STRING || info->type == DT_OPT_LIST)
		VEC_PUSH(&val->strs, mem_strdup(text));
}

int
dt_options_set(struct dt_options *o, const char *name, const char *value,
    bool is_tracing, struct err *err)
{
	enum dt_opt opt = dt_options_find(name);
	const struct dt_optinfo *info;
	int64_t num;

	if (opt == DT_OPT_MAX)
		return refuse_name(name, err);
	info = &dt_optinfo[opt];
	if (info->why_not != NULL && info->class_ != DT_OPT_NONE) {
		return err_set(err, -EINVAL, "option %s is not available: %s",
		    name, info->why_not);
	}
	if (is_tracing && info->class_ < DT_OPT_DYNAMIC) {
		return err_set(err, -EINVAL,
		    "option %s cannot change once tracing has begun", name);
	}
	if (info->class_ == DT_OPT_NONE) {
		if (!is_tracing)
			dt_options_note(o,
			    mem_printf("option %s has no "
				       "effect: %s",
				name, info->why_not));
		return 0;
	}
	if ((value == NULL && info->type != DT_OPT_FLAG &&
		info->type != DT_OPT_DEPTH) ||
	    !parse_value(info, value, &num))
		return refuse_value(info, value, err);
	if (info->type == DT_OPT_RATE)
		num = clamp_rate(o, info, value, num);
	if (!in_range(info, num))
		return refuse_value(info, value, err);
	store(info, &o->vals[opt], num, value);
	o->vals[opt].is_set = true;
	return 0;
}

void
dt_options_init(struct dt_options *o)
{
	memset(o, 0, sizeof(*o));
	for (enum dt_opt i = 0; i < DT_OPT_MAX; i++) {
		const struct dt_optinfo *info = &dt_optinfo[i];
		int64_t num;
		bool ok;

		if (info->def == NULL)
			continue;
		ok = parse_value(info, info->def, &num);
		assert(ok && in_range(info, num));
		store(info, &o->vals[i], num, info->def);
	}
}

void
dt_options_fini(struct dt_options *o)
{
	for (enum dt_opt i = 0; i < DT_OPT_MAX; i++) {
		VEC_FOREACH(&o->vals[i].strs, s)
			free(*s);
		VEC_FREE(&o->vals[i].strs);
	}
	VEC_FOREACH(&o->notes, note)
		free(*note);
	VEC_FREE(&o->notes);
}
