/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Descriptions as people write them by habit: forms of clocks, functions of the
 * C library, and descriptions of bpftrace and perf.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/glob.h"
#include "base/mem.h"
#include "lang/habits.h"
#include "libdtrace/dt_impl.h"
#include "libdtrace/suggest.h"
#include "provider/cpc.h"

/* ---- clocks -------------------------------------------------------------- */

/*
 * The clock whose probes begin with the word, in any case, or with another
 * tracer's word for it; or NULL.
 */
static const char *
clock_of(const char *word, size_t len)
{
	static const struct {
		const char *word, *clock;
	} clocks[] = { { "tick", "tick" }, { "profile", "profile" },
		{ "interval", "tick" }, { "timer", "tick" } };

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		if (strlen(clocks[i].word) == len &&
		    strncasecmp(word, clocks[i].word, len) == 0)
			return clocks[i].clock;
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
char *
dt_suggest_clock(const struct dif_pdesc *desc)
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
char *
dt_suggest_call(struct dt_hdl *h, const struct dif_pdesc *desc)
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

/* A name of the form EVENT-MODE-NUMBER is one of cpc's. */
static char *
suggest_counter(const char *name)
{
	static const char *const modes[] = { "-user-", "-kernel-", "-all-" };

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		const char *mode = strstr(name, modes[i]);

		if (mode != NULL && mode != name &&
		    whole_number(mode + strlen(modes[i])) != 0)
			return mem_printf("a probe of cpc is named with its "
					  "provider: cpc:::%s",
			    name);
	}
	return NULL;
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

/* A word that stands alone where D has BEGIN, END and ERROR. */
static bool
is_clause_word(const char *word)
{
	return strcmp(word, "begin") == 0 || strcmp(word, "end") == 0 ||
	    strcmp(word, "error") == 0;
}

/* The hint for a description by its first word. */
static char *
suggest_by_word(const struct dif_pdesc *desc)
{
	const char *const fields[DT_NFIELDS] = { desc->prov, desc->mod,
		desc->func, desc->name };
	const char *first = "", *word, *hint;

	for (unsigned i = DT_NFIELDS; i-- > 0;) {
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

char *
dt_suggest_habit(const struct dif_pdesc *desc)
{
	char *hint = NULL;

	if (*desc->prov == '\0' && *desc->mod != '\0')
		hint = suggest_three_fields(desc);
	else if (*desc->prov == '\0' && *desc->func != '\0')
		hint = suggest_two_fields(desc);
	else if (*desc->prov == '\0')
		hint = suggest_event(desc->name, "all", 0);
	if (hint == NULL && *desc->prov == '\0')
		hint = suggest_counter(desc->name);
	return hint != NULL ? hint : suggest_by_word(desc);
}
