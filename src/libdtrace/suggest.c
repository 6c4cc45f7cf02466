/* SPDX-License-Identifier: BSD-2-Clause */
/* Suggest a probe for a description that matches none. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "base/glob.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/str.h"
#include "base/vec.h"
#include "lang/habits.h"
#include "libdtrace/dt_impl.h"
#include "provider/cpc.h"

struct nearest {
	const struct dif_pdesc *desc;
	const struct dt_probe *probe;
	unsigned distance;
	bool is_tail;  /* only words in front are too few or too many */
	bool is_vague; /* is_tail, and other probes have other words there */
};

#define TAIL_DISTANCE 3 /* if the other fields are right */

/* Is one name the other with words in front: __x64_sys_read and read? */
static bool
is_tail(const char *a, const char *b)
{
	size_t na = strlen(a), nb = strlen(b);
	const char *whole = na > nb ? a : b, *tail = na > nb ? b : a;
	size_t n = na > nb ? na - nb : nb - na;

	return n > 1 && strlen(tail) > 2 &&
	    strchr("_-", whole[n - 1]) != NULL && strcmp(whole + n, tail) == 0;
}

/*
 * Distance of a field: 0 if it matches.  A pattern must match, and more than
 * half of a name must be right.
 */
static unsigned
field_distance(const char *pattern, const char *name, unsigned max)
{
	unsigned d;

	if (glob_match(pattern, name))
		return 0;
	if (glob_is_pattern(pattern))
		return max + 1;
	if (is_tail(pattern, name))
		return TAIL_DISTANCE;
	d = near_distance(pattern, name, max);
	return 2 * d < strlen(pattern) ? d : max + 1;
}

static bool
is_tail_of(const struct dif_pdesc *desc, const struct dt_probe *p)
{
	return is_tail(desc->func, p->func) || is_tail(desc->name, p->name);
}

/* Does another probe have other words in front of the same word? */
static bool
is_another_tail(const struct nearest *n, const struct dt_probe *p)
{
	return (is_tail(n->desc->func, p->func) &&
		   strcmp(n->probe->func, p->func) != 0) ||
	    (is_tail(n->desc->name, p->name) &&
		strcmp(n->probe->name, p->name) != 0);
}

static int
compare_probe(const struct dt_probe *p, void *arg)
{
	struct nearest *n = arg;
	unsigned max = n->distance;
	unsigned d = field_distance(n->desc->prov, p->prov, max) +
	    field_distance(n->desc->mod, p->mod, max) +
	    field_distance(n->desc->func, p->func, max) +
	    field_distance(n->desc->name, p->name, max);

	if (d < n->distance) {
		n->distance = d;
		n->probe = p;
		n->is_tail = is_tail_of(n->desc, p);
		n->is_vague = false;
	} else if (d == n->distance && n->is_tail) {
		n->is_vague |= is_another_tail(n, p);
	}
	return 0;
}

/* Providers with a name of their own, and those of D libraries. */
static void
each_provider(struct dt_hdl *h, dt_name_f *f, void *arg)
{
	const struct dt_provider_ops *p;

	for (size_t i = 0; (p = dt_provider_at(i)) != NULL; i++) {
		if (*p->name != '\0')
			f(p->name, arg);
	}
	dt_libs_each_provider(h, f, arg);
}

struct suggest_finding {
	const char *pattern;
	bool is_found;
};

static void
find_provider(const char *name, void *arg)
{
	struct suggest_finding *f = arg;

	f->is_found |= glob_match(f->pattern, name) != 0;
}

static bool
provider_exists(struct dt_hdl *h, const char *pattern)
{
	struct suggest_finding f = { .pattern = pattern };
	const struct dt_provider_ops *p;

	for (size_t i = 0; (p = dt_provider_at(i)) != NULL; i++)
		f.is_found |= dt_provider_answers(p, pattern);
	dt_libs_each_provider(h, find_provider, &f);
	return f.is_found;
}

/* Providers that exist once for each process, as in "plockstat$target". */
struct of_processes {
	const char *pattern;
	char *base; /* malloced: "plockstat" */
};

static void
find_of_processes(const char *name, void *arg)
{
	struct of_processes *op = arg;
	const char *end = strstr(name, DT_LIB_TARGET);
	char *base;

	if (end == NULL || op->base != NULL)
		return;
	base = mem_strndup(name, (size_t)(end - name));
	if (glob_match(op->pattern, base))
		op->base = base;
	else
		free(base);
}

/* A provider's name without the process. */
static char *
suggest_process(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	struct of_processes op = { .pattern = desc->prov };
	char *hint;

	if (*desc->prov == '\0' || *desc->prov == '*')
		return NULL;
	dt_libs_each_provider(h, find_of_processes, &op);
	if (op.base == NULL)
		return NULL;
	hint = mem_printf("each process has its own: say which, as in %s1234, "
			  "or %s" DT_LIB_TARGET " with -c or -p",
	    op.base, op.base);
	free(op.base);
	return hint;
}

static void
add_name(const char *name, void *arg)
{
	struct strbuf *sb = arg;

	strbuf_printf(sb, "%s%s", sb->len == 0 ? "" : ", ", name);
}

static void
try_name(const char *name, void *arg)
{
	near_try(arg, name);
}

/* Is it the name of a kind of providers that has no probes itself? */
static bool
is_of_programs(const char *name)
{
	const struct dt_provider_ops *p;

	for (size_t i = 0; (p = dt_provider_at(i)) != NULL; i++) {
		if (strcmp(p->name, name) == 0)
			return !dt_provider_answers(p, name);
	}
	return false;
}

/*
 * Other DTraces have more providers: list those of this system, unless the name
 * is close to a library's.
 */
static char *
providers_hint(struct dt_hdl *h, const char *name)
{
	struct near n = near_start(name);
	struct strbuf sb = { 0 };
	char *hint;

	if (is_of_programs(name))
		return mem_printf(
		    "there is no provider '%s': a program's has a "
		    "name of its own and the number of the process, as in "
		    "NAME1234, NAME$target or NAME*",
		    name);
	each_provider(h, try_name, &n);
	if (n.name != NULL)
		return mem_printf("there is no provider '%s'; did you mean "
				  "'%s'?",
		    name, n.name);
	each_provider(h, add_name, &sb);
	hint = mem_printf(
	    "there is no provider '%s'; there are %s; a program's own has the "
	    "number of a process: %s$target, with -c or -p, or %s* of all",
	    name, sb.s, name, name);
	strbuf_fini(&sb);
	return hint;
}

/* ---- the right words in the wrong fields --------------------------------- */

#define NFIELDS 4

static const char *const field_names[NFIELDS] = { "provider", "module",
	"function", "name" };

/* The words of a description, and the field to which each would move. */
struct suggest_placing {
	char *words[NFIELDS];
	unsigned from[NFIELDS], to[NFIELDS];
	unsigned n;
	unsigned nmoved, moved; /* number of words moved, and the last one */
};

static void
take_words(struct suggest_placing *pl, const struct dif_pdesc *desc)
{
	char *const fields[NFIELDS] = { desc->prov, desc->mod, desc->func,
		desc->name };

	for (unsigned i = 0; i < NFIELDS; i++) {
		if (*fields[i] == '\0')
			continue;
		pl->words[pl->n] = fields[i];
		pl->from[pl->n++] = i;
	}
}

/*
 * Decode two bits of the number for each word.  False if two words would share
 * a field.
 */
static bool
place(struct suggest_placing *pl, unsigned number)
{
	unsigned taken = 0;

	pl->nmoved = 0;
	for (unsigned i = 0; i < pl->n; i++) {
		pl->to[i] = number >> 2 * i & 3;
		if ((taken & 1U << pl->to[i]) != 0)
			return false;
		taken |= 1U << pl->to[i];
		if (pl->to[i] == pl->from[i])
			continue;
		pl->moved = i;
		pl->nmoved++;
	}
	return true;
}

/*
 * A provider's name must go into the provider's field, and no other word may.
 */
static bool
is_sound(struct dt_hdl *h, const struct suggest_placing *pl)
{
	for (unsigned i = 0; i < pl->n; i++) {
		bool was = pl->from[i] == 0, is = pl->to[i] == 0;

		if (was != is && provider_exists(h, pl->words[i]) != is)
			return false;
	}
	return true;
}

/* Does such a probe exist, or a reason why it does not? */
static char *
suggest_placing(struct dt_hdl *h, const struct suggest_placing *pl)
{
	char none[] = "", *f[NFIELDS] = { none, none, none, none };
	struct dif_pdesc d;

	for (unsigned i = 0; i < pl->n; i++)
		f[pl->to[i]] = pl->words[i];
	d = (struct dif_pdesc){
		.prov = f[0], .mod = f[1], .func = f[2], .name = f[3]
	};
	if (!dt_registry_any(h->probes.registry, &d) &&
	    dt_missing_why(h, &d) == NULL)
		return NULL;
	if (pl->nmoved > 1)
		return mem_printf(
		    "did you mean %s:%s:%s:%s?", f[0], f[1], f[2], f[3]);
	return mem_printf("%s is a probe's %s, not its %s; did you mean "
			  "%s:%s:%s:%s?",
	    pl->words[pl->moved], field_names[pl->to[pl->moved]],
	    field_names[pl->from[pl->moved]], f[0], f[1], f[2], f[3]);
}

/* All words are spelt right: move as few as possible to other fields. */
static char *
suggest_fields(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	struct suggest_placing pl = { 0 };
	char *hint = NULL;

	take_words(&pl, desc);
	for (unsigned n = 1; n <= pl.n && hint == NULL; n++) {
		for (unsigned k = 0; k < 1U << 2 * pl.n && hint == NULL; k++) {
			if (place(&pl, k) && pl.nmoved == n && is_sound(h, &pl))
				hint = suggest_placing(h, &pl);
		}
	}
	return hint;
}

/* The last two words may be one name: tick:1s, proc:signal:send. */
static char *
suggest_dash(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	struct suggest_placing pl = { 0 };
	char none[] = "", *hint = NULL;
	struct dif_pdesc d = { .prov = none, .mod = none, .func = none };

	take_words(&pl, desc);
	if (pl.n != 2 && pl.n != 3)
		return NULL;
	if (pl.n == 3)
		d.prov = pl.words[0];
	d.name = mem_printf("%s-%s", pl.words[pl.n - 2], pl.words[pl.n - 1]);
	if (provider_exists(h, d.prov) &&
	    dt_registry_any(h->probes.registry, &d))
		hint = mem_printf("did you mean %s:::%s?", d.prov, d.name);
	free(d.name);
	return hint;
}

/* ---- clocks -------------------------------------------------------------- */

/* The clock whose probes begin with the word, in any case; or NULL. */
static const char *
clock_of(const char *word, size_t len)
{
	static const char *const clocks[] = { "tick", "profile" };

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		if (strlen(clocks[i]) == len &&
		    strncasecmp(word, clocks[i], len) == 0)
			return clocks[i];
	}
	return NULL;
}

/* Is it a unit of time, without its number? */
static bool
is_unit(const char *text)
{
	char *one = mem_printf("1%s", text);
	uint64_t ns;
	bool is = *text != '\0' && dt_parse_period(one, true, &ns) == 0;

	free(one);
	return is;
}

/*
 * tick-1x, tick1s and tick_1s.  A word after the dash may be another provider's
 * name, as in tick-start.
 */
static char *
suggest_clock(const struct dif_pdesc *desc)
{
	size_t len = strcspn(desc->name, "-_0123456789");
	const char *clock = clock_of(desc->name, len);
	const char *rest = desc->name + len;
	bool has_dash = *rest == '-' || *rest == '_';
	char *meant, *hint;
	uint64_t ns;
	int rc;

	rest += has_dash;
	if (clock == NULL || glob_is_pattern(desc->name) ||
	    (strspn(rest, "0123456789") == 0 && !(has_dash && is_unit(rest))) ||
	    (*desc->prov != '\0' && strcmp(desc->prov, "profile") != 0))
		return NULL;
	rc = dt_parse_period(rest, true, &ns);
	if (rc == -EINVAL)
		return mem_strdup(DT_PERIOD_SYNTAX);
	if (rc == 0 && ns < DT_PERIOD_MIN_NS)
		return mem_strdup(DT_PERIOD_SHORTEST);
	meant = mem_printf("%s-%s", clock, rest);
	hint = rc == 0 && strcmp(meant, desc->name) != 0 ?
	    mem_printf("did you mean %s?", meant) :
	    NULL;
	free(meant);
	return hint;
}

/* ---- system calls ------------------------------------------------------- */

/*
 * A function of the C library has no probe; the system call that it makes has.
 */
static char *
suggest_call(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	const char *call = habit_call(desc->func);
	struct dif_pdesc meant = *desc;
	char *hint = NULL;

	if (strcmp(desc->prov, "syscall") != 0 || call == NULL)
		return NULL;
	meant.func = mem_strdup(call);
	if (dt_registry_any(h->probes.registry, &meant))
		hint = mem_printf("the system call of %s() is %s; did "
				  "you mean %s:%s:%s:%s?",
		    desc->func, meant.func, meant.prov, meant.mod, meant.func,
		    meant.name);
	free(meant.func);
	return hint;
}

/* ---- another provider's -------------------------------------------------- */

/* Split the text into its four fields. */
static bool
is_probe(struct dt_hdl *h, const char *text)
{
	char *copy = mem_strdup(text), *rest = copy;
	struct dif_pdesc d = { 0 };
	char **const fields[NFIELDS] = { &d.prov, &d.mod, &d.func, &d.name };
	bool is_it;

	for (unsigned i = 0; i < NFIELDS; i++)
		*fields[i] = strsep(&rest, ":");
	is_it = dt_registry_any(h->probes.registry, &d);
	free(copy);
	return is_it;
}

static char *
suggest_other(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	const struct dt_provider_ops *p;
	char *hint = NULL;

	for (size_t i = 0; hint == NULL && (p = dt_provider_at(i)) != NULL;
	     i++) {
		char *text =
		    p->means != NULL && dt_provider_answers(p, desc->prov) ?
		    p->means(desc) :
		    NULL;

		if (text != NULL && is_probe(h, text))
			hint = mem_printf("did you mean %s?", text);
		free(text);
	}
	return hint;
}

/* ---- the nearest --------------------------------------------------------- */

/*
 * Is the rest right with the provider that was meant?  It may name a probe that
 * is made when it is requested.
 */
static char *
suggest_provider(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	struct near n = near_start(desc->prov);
	struct dif_pdesc meant = *desc;
	char *hint = NULL;

	each_provider(h, try_name, &n);
	if (n.name == NULL || strcmp(n.name, desc->prov) == 0)
		return NULL;
	meant.prov = mem_strdup(n.name);
	if (dt_registry_any(h->probes.registry, &meant))
		hint = mem_printf("did you mean %s:%s:%s:%s?", meant.prov,
		    meant.mod, meant.func, meant.name);
	free(meant.prov);
	return hint;
}

static const char *
meant_field(const char *pattern, const char *name)
{
	return glob_match(pattern, name) ? pattern : name;
}

/*
 * The fields of the nearest probe where the description differs.  At most a
 * third of the description may be wrong.
 */
static char *
suggest_nearest(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	struct dif_pdesc all = { .prov = (char[]){ "" },
		.mod = (char[]){ "" },
		.func = (char[]){ "" },
		.name = (char[]){ "" } };
	size_t len = strlen(desc->prov) + strlen(desc->mod) +
	    strlen(desc->func) + strlen(desc->name);
	struct nearest n = { .desc = desc, .distance = 4 };
	struct err err = { 0 };

	if (len / 3 + 1 < n.distance)
		n.distance = (unsigned)(len / 3) + 1;
	err_forget(dt_registry_match(
		       h->probes.registry, &all, compare_probe, &n, &err),
	    &err);
	if (n.probe == NULL || n.is_vague)
		return NULL;
	if (n.distance == 0)
		return mem_printf("%s:%s:%s:%s exists, but cannot be traced; "
				  "its full name gives the reason",
		    n.probe->prov, n.probe->mod, n.probe->func, n.probe->name);
	return mem_printf("did you mean %s:%s:%s:%s?",
	    meant_field(desc->prov, n.probe->prov),
	    meant_field(desc->mod, n.probe->mod),
	    meant_field(desc->func, n.probe->func),
	    meant_field(desc->name, n.probe->name));
}

/*
 * A probe that the provider has on other systems: asking for it gives the
 * reason why it is missing here.
 */
static char *
suggest_missing(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	struct near n = near_start(desc->name);

	VEC_FOREACH(&h->probes.missing, m) {
		if (*m->name != '\0' && strcmp(m->prov, desc->prov) == 0)
			near_try(&n, m->name);
	}
	if (n.name == NULL)
		return NULL;
	return mem_printf("did you mean %s:::%s?", desc->prov, n.name);
}

/* ---- one word that is not there ------------------------------------------ */

#define MAX_VALUES 24 /* a longer list does not help */

/* The values of one field in the probes that match the other fields. */
struct values {
	unsigned field;
	struct strtab seen;
	struct strbuf text;
};

static int
take_value(const struct dt_probe *p, void *arg)
{
	struct values *v = arg;
	const char *const fields[NFIELDS] = { p->prov, p->mod, p->func,
		p->name };
	size_t n = v->seen.strs.n;

	strtab_intern(&v->seen, fields[v->field]);
	if (v->seen.strs.n > n)
		add_name(fields[v->field], &v->text);
	return v->seen.strs.n > MAX_VALUES;
}

static char *
suggest_values_of(
    struct dt_hdl *h, const struct dif_pdesc *desc, unsigned field)
{
	char *f[NFIELDS] = { desc->prov, desc->mod, desc->func, desc->name };
	char none[] = "", *hint = NULL;
	struct err err = { 0 };
	struct values v = { .field = field };
	struct dif_pdesc d;

	f[field] = none;
	d = (struct dif_pdesc){
		.prov = f[0], .mod = f[1], .func = f[2], .name = f[3]
	};
	strtab_init(&v.seen);
	err_forget(
	    dt_registry_match(h->probes.registry, &d, take_value, &v, &err),
	    &err);
	if (v.seen.strs.n > 0 && v.seen.strs.n <= MAX_VALUES && v.text.len > 0)
		hint = mem_printf(
		    "the %s can be %s", field_names[field], v.text.s);
	err_clear(&err);
	strtab_fini(&v.seen);
	strbuf_fini(&v.text);
	return hint;
}

/*
 * The provider is known: list the values that can replace the last wrong word.
 */
static char *
suggest_values(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	const char *const fields[NFIELDS] = { desc->prov, desc->mod, desc->func,
		desc->name };
	char *hint = NULL;

	if (*desc->prov == '\0' || !provider_exists(h, desc->prov))
		return NULL;
	for (unsigned i = NFIELDS; i-- > 1 && hint == NULL;) {
		if (*fields[i] != '\0')
			hint = suggest_values_of(h, desc, i);
	}
	return hint;
}

/* ---- descriptions of bpftrace -------------------------------------------- */

/* tracepoint:syscalls:sys_enter_read is a system call's probe. */
static char *
suggest_tracepoint(const struct dif_pdesc *desc, const char *text)
{
	static const struct {
		const char *prefix, *name;
	} calls[] = { { "sys_enter_", "entry" }, { "sys_exit_", "return" } };

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		size_t n = strlen(calls[i].prefix);

		if (strncmp(desc->name, calls[i].prefix, n) == 0)
			return mem_printf("bpftrace's %s is syscall::%s:%s",
			    text, desc->name + n, calls[i].name);
	}
	return mem_printf(
	    "bpftrace's %s is sdt:%s::%s", text, desc->func, desc->name);
}

/* A number that a counter can have, and all of the text; else 0. */
static uint64_t
whole_number(const char *text)
{
	char *end;
	uint64_t n = strtoull(text, &end, 10);

	return *text >= '0' && *text <= '9' && *end == '\0' && n <= INT64_MAX ?
	    n :
	    0;
}

/* cpc's probe for an event of perf or bpftrace, by any of their names. */
static char *
suggest_event(const char *word, const char *mode, uint64_t count)
{
	const char *event = dt_cpc_of_perf(word), *also;

	if (event == NULL)
		return NULL;
	also = habit_event(event);
	return mem_printf("the event %s is cpc:::%s-%s-%" PRIu64 "%s%s", word,
	    event, mode, dt_cpc_count(event, count),
	    also != NULL ? ", or " : "", also != NULL ? also : "");
}

/* interval:1s and profile:99hz, or with the unit in a field of its own. */
static char *
suggest_period(
    const char *word, const char *unit, const char *number, const char *text)
{
	static const struct {
		const char *word, *clock;
	} clocks[] = { { "interval", "tick" }, { "profile", "profile" } };
	char *period = mem_printf("%s%s", number, unit), *hint = NULL;
	uint64_t ns;

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		if (strcmp(habit_long_word(word), clocks[i].word) == 0 &&
		    dt_parse_period(period, true, &ns) == 0)
			hint = mem_printf("bpftrace's %s is %s-%s%s", text,
			    clocks[i].clock, period,
			    ns < DT_PERIOD_MIN_NS ? "; " DT_PERIOD_SHORTEST :
						    "");
	}
	free(period);
	return hint;
}

/* kprobe:F and kprobe:MODULE:F. */
static char *
suggest_kernel_probe(const char *word, const char *module, const char *function,
    const char *text)
{
	const struct habit_probe *hp = habit_probe(habit_long_word(word));

	if (hp == NULL || (*module != '\0' && *hp->end == '\0'))
		return NULL;
	if (strchr(function, '+') != NULL)
		return mem_strdup("D has no probes inside functions of the "
				  "kernel; fbt has their entries and returns");
	return mem_printf("bpftrace's %s is %s:%s:%s%s%s", text, hp->provider,
	    module, *hp->end == '\0' ? ":" : "", function, hp->end);
}

static bool
is_event_word(const char *word)
{
	return strcmp(habit_long_word(word), "software") == 0 ||
	    strcmp(habit_long_word(word), "hardware") == 0;
}

/* Two fields are a function's and a name's for us. */
static char *
suggest_two_fields(const struct dif_pdesc *desc)
{
	char *text = mem_printf("%s:%s", desc->func, desc->name), *hint;

	hint = suggest_kernel_probe(desc->func, "", desc->name, text);
	if (hint == NULL)
		hint = suggest_period(desc->func, "", desc->name, text);
	if (hint == NULL && is_event_word(desc->func))
		hint = suggest_event(desc->name, "all", 0);
	if (hint == NULL && strcmp(desc->name, "u") == 0)
		hint = suggest_event(desc->func, "user", 0);
	if (hint == NULL && strcmp(desc->name, "k") == 0)
		hint = suggest_event(desc->func, "kernel", 0);
	free(text);
	return hint;
}

static char *
suggest_three_fields(const struct dif_pdesc *desc)
{
	char *text = mem_printf("%s:%s:%s", desc->mod, desc->func, desc->name),
	     *hint;

	if (strcmp(habit_long_word(desc->mod), "tracepoint") == 0)
		hint = suggest_tracepoint(desc, text);
	else
		hint = suggest_kernel_probe(
		    desc->mod, desc->func, desc->name, text);
	if (hint == NULL)
		hint = suggest_period(desc->mod, desc->func, desc->name, text);
	if (hint == NULL && is_event_word(desc->mod))
		hint =
		    suggest_event(desc->func, "all", whole_number(desc->name));
	free(text);
	return hint;
}

/* The hint for a description by its first word. */
/* A word that stands alone where D has BEGIN, END and ERROR. */
static bool
is_clause_word(const char *word)
{
	return strcmp(word, "begin") == 0 || strcmp(word, "end") == 0 ||
	    strcmp(word, "error") == 0;
}

static char *
suggest_by_word(const struct dif_pdesc *desc)
{
	const char *const fields[NFIELDS] = { desc->prov, desc->mod, desc->func,
		desc->name };
	const char *first = "", *word, *hint;

	for (unsigned i = NFIELDS; i-- > 0;) {
		if (*fields[i] != '\0')
			first = fields[i];
	}
	word = first == desc->name ? first : habit_long_word(first);
	if (first != desc->name &&
	    (*desc->name == '\0' || is_clause_word(word)))
		return NULL;
	hint = habit_of_description(word);
	if (hint == NULL && *desc->prov == '\0' && first != desc->name)
		hint = habit_hint(HABIT_IS_PATH, word);
	return hint != NULL ? mem_strdup(hint) : NULL;
}

static char *
suggest_habit(const struct dif_pdesc *desc)
{
	char *hint = NULL;

	if (*desc->prov == '\0' && *desc->mod != '\0')
		hint = suggest_three_fields(desc);
	else if (*desc->prov == '\0' && *desc->func != '\0')
		hint = suggest_two_fields(desc);
	else if (*desc->prov == '\0')
		hint = suggest_event(desc->name, "all", 0);
	return hint != NULL ? hint : suggest_by_word(desc);
}

/* A pattern for providers of programs, as mysql*: none has such probes. */
static char *
suggest_none_runs(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	size_t n = strlen(desc->prov);
	char none[] = "";
	struct dif_pdesc any = {
		.prov = desc->prov, .mod = none, .func = none, .name = none
	};

	if (n < 2 || desc->prov[n - 1] != '*' ||
	    dt_registry_any(h->probes.registry, &any))
		return NULL;
	return mem_printf("no running process has USDT probes of a provider "
			  "'%s'; -Z waits for one",
	    desc->prov);
}

char *
dt_suggest_probe(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	const char *why = dt_missing_why(h, desc);
	char *hint;

	if (why != NULL)
		return mem_printf("it is not available: %s", why);
	hint = suggest_process(h, desc);
	if (hint == NULL)
		hint = suggest_habit(desc);
	if (hint == NULL)
		hint = suggest_call(h, desc);
	if (hint == NULL)
		hint = suggest_clock(desc);
	if (hint == NULL)
		hint = suggest_other(h, desc);
	if (hint == NULL)
		hint = suggest_fields(h, desc);
	if (hint == NULL)
		hint = suggest_dash(h, desc);
	if (hint == NULL)
		hint = suggest_provider(h, desc);
	if (hint == NULL)
		hint = suggest_nearest(h, desc);
	if (hint == NULL && *desc->name != '\0' && !glob_is_pattern(desc->name))
		hint = suggest_missing(h, desc);
	if (hint == NULL)
		hint = suggest_values(h, desc);
	if (hint == NULL)
		hint = suggest_none_runs(h, desc);
	if (hint == NULL && !provider_exists(h, desc->prov))
		hint = providers_hint(h, desc->prov);
	return hint;
}
