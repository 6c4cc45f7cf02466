/* SPDX-License-Identifier: BSD-2-Clause */
#include "fmt/percents.h"

#define DECIMALS 3
#define ONE 1000 /* a percent */
#define CODE_BITS 12
#define CODE_MASK 0xfffU

/* Digits, and perhaps a point and up to three more; in thousandths. */
static bool
parse_percent(const char **s, uint32_t *out)
{
	const char *p = *s;
	uint32_t v = 0;
	int places = -1;

	for (; (*p >= '0' && *p <= '9') || (*p == '.' && places < 0); p++) {
		if (*p == '.') {
			places = 0;
			continue;
		}
		v = v * 10 + (uint32_t)(*p - '0');
		places += places >= 0;
		if (v > 100 * ONE || places > DECIMALS)
			return false;
	}
	if (p == *s || p[-1] == '.')
		return false;
	for (int i = places < 0 ? 0 : places; i < DECIMALS; i++)
		v *= 10;
	*s = p;
	*out = v;
	return v > 0 && v <= 100 * ONE;
}

bool
pf_percents_parse(const char *s, struct percents *out)
{
	out->n = 0;
	for (;;) {
		if (out->n == PERCENTS_MAX ||
		    !parse_percent(&s, &out->v[out->n]))
			return false;
		out->n++;
		if (*s == '\0')
			return true;
		if (*s++ != ',')
			return false;
	}
}

void
pf_percent_format(struct strbuf *sb, uint32_t percent)
{
	uint32_t rest = percent % ONE;
	int places = DECIMALS;

	strbuf_printf(sb, "p%u", percent / ONE);
	if (rest == 0)
		return;
	while (rest % 10 == 0) {
		rest /= 10;
		places--;
	}
	strbuf_printf(sb, ".%0*u", places, rest);
}

/* ---- packed -------------------------------------------------------------- */

/* Codes from `first` on are the percents behind `base`, `step` apart. */
static const struct percent_codes {
	uint32_t first, last, base, step;
} codes[] = {
	{ 1, 1000, 0, ONE / 10 },
	{ 1001, 2000, 90 * ONE, ONE / 100 },
	{ 2001, 3000, 99 * ONE, ONE / 1000 },
	{ 3001, 3999, 0, ONE / 1000 },
};
#define NCODES (sizeof(codes) / sizeof(codes[0]))

/* The lowest code of a percent; 0: it has none. */
static uint32_t
code_of(uint32_t percent)
{
	for (size_t i = 0; i < NCODES; i++) {
		const struct percent_codes *c = &codes[i];
		uint32_t n = percent > c->base ? percent - c->base : 0;

		if (n != 0 && n % c->step == 0 &&
		    c->first + n / c->step - 1 <= c->last)
			return c->first + n / c->step - 1;
	}
	return 0;
}

/* 0: there is no such code. */
static uint32_t
percent_of(uint32_t code)
{
	for (size_t i = 0; i < NCODES; i++) {
		const struct percent_codes *c = &codes[i];

		if (code >= c->first && code <= c->last)
			return c->base + (code - c->first + 1) * c->step;
	}
	return 0;
}

bool
pf_percents_pack(const struct percents *p, uint64_t *word)
{
	*word = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t code = code_of(p->v[i]);

		if (code == 0 || i == PERCENTS_PACKED_MAX)
			return false;
		*word |= (uint64_t)code << CODE_BITS * i;
	}
	return p->n != 0;
}

bool
pf_percents_unpack(uint64_t word, struct percents *out)
{
	uint64_t again;

	out->n = 0;
	for (uint64_t rest = word; rest != 0; rest >>= CODE_BITS) {
		uint32_t percent = percent_of((uint32_t)rest & CODE_MASK);

		if (percent == 0 || out->n == PERCENTS_PACKED_MAX)
			return false;
		out->v[out->n++] = percent;
	}
	return pf_percents_pack(out, &again) && again == word;
}
