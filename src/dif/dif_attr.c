/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stability attributes and versions of the language, as text and as numbers.
 *
 * Source: doc/reference/language.md sections 6 and 13.
 */
#include "dif/attr.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

static const char *const stabilities[] = { "Internal", "Private", "Obsolete",
	"External", "Unstable", "Evolving", "Stable", "Standard" };
static const char *const classes[] = { "Unknown", "CPU", "Platform", "Group",
	"ISA", "Common" };

#define NELEMS(a) (sizeof(a) / sizeof((a)[0]))

static bool
take_word(const char **s, char end, const char *const *words, size_t nwords,
    uint8_t *value)
{
	const char *stop = strchr(*s, end);
	size_t len = stop != NULL ? (size_t)(stop - *s) : 0;

	for (size_t i = 0; stop != NULL && i < nwords; i++) {
		if (strlen(words[i]) == len && memcmp(words[i], *s, len) == 0) {
			*value = (uint8_t)i;
			*s = stop + (*stop != '\0');
			return true;
		}
	}
	return false;
}

bool
dif_attr_parse(const char *s, struct dif_attr *a)
{
	return take_word(&s, '/', stabilities, NELEMS(stabilities), &a->name) &&
	    take_word(&s, '/', stabilities, NELEMS(stabilities), &a->data) &&
	    take_word(&s, '\0', classes, NELEMS(classes), &a->class_);
}

struct dif_attr
dif_attr_min(struct dif_attr a, struct dif_attr b)
{
	if (b.name < a.name)
		a.name = b.name;
	if (b.data < a.data)
		a.data = b.data;
	if (b.class_ < a.class_)
		a.class_ = b.class_;
	return a;
}

bool
dif_attr_below(struct dif_attr a, struct dif_attr least)
{
	return a.name < least.name || a.data < least.data ||
	    a.class_ < least.class_;
}

const char *
dif_attr_name(const struct dif_attr *a)
{
	return stabilities[a->name];
}

const char *
dif_attr_data(const struct dif_attr *a)
{
	return stabilities[a->data];
}

const char *
dif_attr_class(const struct dif_attr *a)
{
	return classes[a->class_];
}

/* ---- versions ------------------------------------------------------------ */

static const char *const versions[] = { "1.0", "1.1", "1.2", "1.2.1", "1.2.2",
	"1.3", "1.4", "1.4.1", "1.5", "1.6", "1.6.1", "1.6.2", "1.6.3", "1.7",
	"1.7.1", "1.8", "1.8.1", "1.9", "1.9.1", "1.10", "1.11", "1.12",
	"1.12.1", "1.13" };

/* major << 24 | minor << 12 | micro */
static uint32_t
version_word(const char *s)
{
	uint32_t word = 0;
	char *end;

	for (int shift = 24; shift >= 0; shift -= 12) {
		word |= (uint32_t)strtoul(s, &end, 10) << shift;
		if (*end != '.')
			break;
		s = end + 1;
	}
	return word;
}

uint32_t
dif_version_parse(const char *s)
{
	for (size_t i = 0; i < NELEMS(versions); i++) {
		if (strcmp(versions[i], s) == 0)
			return version_word(s);
	}
	return 0;
}

void
dif_version_format(uint32_t version, struct strbuf *out)
{
	uint32_t micro = version & 0xfff;

	strbuf_printf(out, "%u.%u", version >> 24, version >> 12 & 0xfff);
	if (micro != 0)
		strbuf_printf(out, ".%u", micro);
}
