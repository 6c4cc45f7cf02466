/* SPDX-License-Identifier: BSD-2-Clause */
#include "fleet/subject.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define ASK "dtrace.ask."
#define RUN "dtrace.run."
#define FROM "dtrace.from."
#define TO ".to."
#define MERGED ".merged"

void
fl_run_format(const uint8_t id[16], char text[FL_RUN_TEXT])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < 16; i++) {
		text[2 * i] = digits[id[i] >> 4];
		text[2 * i + 1] = digits[id[i] & 15];
	}
	text[FL_RUN_TEXT - 1] = '\0';
}

char *
fl_subject_ask(const char *run)
{
	return mem_printf(ASK "%s", run);
}

char *
fl_subject_run(const char *run)
{
	return mem_printf(RUN "%s", run);
}

static bool
is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '-';
}

static void
add_name(struct strbuf *sb, const char *name)
{
	for (; *name != '\0'; name++) {
		if (is_plain(*name))
			strbuf_addc(sb, *name);
		else
			strbuf_printf(sb, "=%02x", (unsigned char)*name);
	}
}

char *
fl_subject_from(const char *host, const char *last)
{
	struct strbuf sb = { 0 };

	strbuf_adds(&sb, FROM);
	add_name(&sb, host);
	strbuf_printf(&sb, ".%s", last);
	return strbuf_steal(&sb);
}

char *
fl_subject_from_all(const char *run)
{
	return mem_printf(FROM "*.%s", run);
}

/* ---- mergers ------------------------------------------------------------- */

char *
fl_subject_to(const char *host, const char *run, const char *merger)
{
	struct strbuf sb = { 0 };

	strbuf_adds(&sb, FROM);
	add_name(&sb, host);
	strbuf_printf(&sb, ".%s" TO, run);
	add_name(&sb, merger);
	return strbuf_steal(&sb);
}

char *
fl_subject_to_all(const char *merger)
{
	struct strbuf sb = { 0 };

	strbuf_adds(&sb, FROM "*.*" TO);
	add_name(&sb, merger);
	return strbuf_steal(&sb);
}

char *
fl_subject_merged(const char *merger, const char *run)
{
	char *last = mem_printf("%s" MERGED, run);
	char *subject = fl_subject_from(merger, last);

	free(last);
	return subject;
}

char *
fl_subject_merged_all(const char *run)
{
	return mem_printf(FROM "*.%s" MERGED, run);
}

/* The rest of the subject behind the host's name; NULL: it names no host. */
static const char *
behind_host(const char *subject)
{
	return strncmp(subject, FROM, sizeof(FROM) - 1) == 0 ?
	    strchr(subject + sizeof(FROM) - 1, '.') :
	    NULL;
}

static bool
begins_with_run(const char *p)
{
	return strspn(p, "0123456789abcdef") == FL_RUN_TEXT - 1;
}

bool
fl_subject_is_to(const char *subject, char run[FL_RUN_TEXT])
{
	const char *p = behind_host(subject);

	if (p == NULL || !begins_with_run(p + 1) ||
	    strncmp(p + FL_RUN_TEXT, TO, sizeof(TO) - 1) != 0)
		return false;
	memcpy(run, p + 1, FL_RUN_TEXT - 1);
	run[FL_RUN_TEXT - 1] = '\0';
	return true;
}

bool
fl_subject_is_merged(const char *subject)
{
	const char *p = behind_host(subject);

	return p != NULL && begins_with_run(p + 1) &&
	    strcmp(p + FL_RUN_TEXT, MERGED) == 0;
}

/* ---- parts --------------------------------------------------------------- */

/* The run behind a prefix of the subject. */
static const char *
run_behind(const char *subject, const char *prefix)
{
	size_t n = strlen(prefix);
	const char *run = subject + n;

	return strncmp(subject, prefix, n) == 0 && begins_with_run(run) &&
		run[FL_RUN_TEXT - 1] == '\0' ?
	    run :
	    NULL;
}

const char *
fl_subject_is_ask(const char *subject)
{
	return run_behind(subject, ASK);
}

const char *
fl_subject_is_run(const char *subject)
{
	return run_behind(subject, RUN);
}

static int
digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* One byte of a name, printable; the place behind it, or NULL. */
static const char *
take_byte(const char *p, char *to)
{
	int high, low;

	if (is_plain(*p)) {
		*to = *p;
		return p + 1;
	}
	if (*p != '=' || (high = digit(p[1])) < 0 || (low = digit(p[2])) < 0)
		return NULL;
	*to = (char)(high << 4 | low);
	return *to > ' ' && *to < 0x7f && !is_plain(*to) ? p + 3 : NULL;
}

char *
fl_subject_host(const char *subject)
{
	char name[FL_HOST_MAX + 1];
	const char *p = subject + sizeof(FROM) - 1;
	size_t n = 0;

	if (strncmp(subject, FROM, sizeof(FROM) - 1) != 0)
		return NULL;
	while (*p != '.') {
		if (n == FL_HOST_MAX)
			return NULL;
		p = take_byte(p, &name[n++]);
		if (p == NULL)
			return NULL;
	}
	name[n] = '\0';
	return n != 0 ? mem_strdup(name) : NULL;
}
