/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pack the records of a block, and unpack them.
 *
 * Most records resemble the last one of their EPID, their model: a packed
 * record is a mask of its 8-byte words that differ from the model's, and these
 * words.  The packer has copies of models; for unpacking, they are in the raw
 * bytes.
 */
#include "record/pack.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define NMODELS 64    /* EPIDs that are remembered */
#define MAX_SIZE 4096 /* of a record; a larger one is a literal */
#define VARINT_MAX 10
/* The longest form of a word: its length, and its bytes. */
#define WORD_MAX 9
#define WORD_DELTA_MAX 5 /* bytes; a longer difference is the word itself */

/* The first byte of a step. */
enum pack_step {
	STEP_LITERAL = 0, /* length and bytes */
	STEP_RECORD = 1,
	/* what follows, if it is not as predicted */
	STEP_EPID = 2,
	STEP_NEXT = 4,
	STEP_CPU = 8,
	STEP_SIZE = 16,
	STEP_ALL = 31
};

/* The last record of the EPIDs with one remainder by NMODELS. */
struct model {
	uint32_t epid, next_epid, size;
	size_t at; /* unpacking: of its bytes in the raw ones */
};

/* The records so far, as the next one is predicted from them. */
struct past {
	struct model models[NMODELS];
	uint64_t time_ns; /* these are the last record's */
	uint32_t epid, next_epid, cpu;
};

struct record_packer {
	struct past past;
	/* the words of each model's record */
	uint64_t words[NMODELS][MAX_SIZE / 8];
};

static uint32_t
predict_epid(const struct past *p)
{
	return p->next_epid != 0 ? p->next_epid : p->epid;
}

static struct model *
model_of(struct past *p, uint32_t epid)
{
	return &p->models[epid % NMODELS];
}

static bool
is_like(const struct model *m, const struct record_e_data *e)
{
	return m->epid == e->epid && m->size == e->size;
}

static void
learn(struct past *p, struct model *m, const struct record_e_data *e, size_t at)
{
	*m = (struct model){ e->epid, e->next_epid, e->size, at };
	p->time_ns = e->time_ns;
	p->epid = e->epid;
	p->next_epid = e->next_epid;
	p->cpu = e->cpu;
}

static size_t
words_of(uint32_t size)
{
	return ((size_t)size + 7) / 8;
}

/*
 * Word k, from that of the model, or 0.  The first 12 bytes are the record's
 * own header (PLAN_RECHDR in plan.h).
 */
static uint64_t
predict_word(uint64_t before, size_t k, const struct record_e_data *e)
{
	if (k == 0)
		return e->epid | e->time_ns >> 32 << 32;
	if (k == 1)
		return before >> 32 << 32 | (uint32_t)e->time_ns;
	return before;
}

/* A difference as a small number, whatever its sign. */
static uint64_t
fold(uint64_t now, uint64_t before)
{
	uint64_t d = now - before;

	return d << 1 ^ (0 - (d >> 63));
}

static uint64_t
unfold(uint64_t folded, uint64_t before)
{
	return before + (folded >> 1 ^ (0 - (folded & 1)));
}

/* ---- packing ------------------------------------------------------------ */

struct record_packer *
record_packer_create(void)
{
	return mem_alloc(sizeof(struct record_packer));
}

void
record_packer_destroy(struct record_packer *p)
{
	free(p);
}

void
record_pack_begin(struct record_packer *p)
{
	p->past = (struct past){ .epid = 0 };
}

static char *
put_varint(char *to, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*to++ = (char)(v | 0x80);
	*to++ = (char)v;
	return to;
}

/* Writes 9 bytes, of which those up to the returned place count. */
static char *
put_word(char *to, uint64_t now, uint64_t before)
{
	uint64_t folded = fold(now, before);
	unsigned n = (71 - (unsigned)__builtin_clzll(folded | 1)) / 8;

	if (n > WORD_DELTA_MAX) {
		n = 8;
		folded = now;
	}
	*to++ = (char)n;
	memcpy(to, &folded, sizeof(folded));
	return to + n;
}

/* The word at p; the last one may be cut, and is filled with zeros. */
static uint64_t
load_word(const char *p, size_t left)
{
	uint64_t word = 0;
	uint32_t half;

	if (left >= sizeof(word)) {
		memcpy(&word, p, sizeof(word));
	} else if (left == sizeof(half)) {
		memcpy(&half, p, sizeof(half));
		word = half;
	} else {
		memcpy(&word, p, left);
	}
	return word;
}

/* `words` become those of this record. */
static char *
put_words(char *to, const char *data, bool is_like, uint64_t *words,
    const struct record_e_data *e)
{
	size_t nwords = words_of(e->size);
	uint8_t *mask = (uint8_t *)to, bits = 0;

	to += (nwords + 7) / 8;
	for (size_t k = 0; k < nwords; k++) {
		uint64_t guess = predict_word(is_like ? words[k] : 0, k, e);
		uint64_t word = load_word(data + 8 * k, e->size - 8 * k);

		words[k] = word;
		if (word != guess) {
			bits |= (uint8_t)(1U << k % 8);
			to = put_word(to, word, guess);
		}
		if (k % 8 == 7 || k + 1 == nwords) {
			mask[k / 8] = bits;
			bits = 0;
		}
	}
	return to;
}

static void
pack_large(struct strbuf *out, const struct record_e_data *e, const void *data)
{
	static const char zeroes[8];
	struct {
		struct record_item item;
		struct record_e_data e;
	} head = { { RECORD_DATA, 0, (uint32_t)sizeof(*e) + e->size }, *e };
	size_t padding = 8 * words_of(e->size) - e->size;
	char *to = strbuf_room(out, 1 + VARINT_MAX), *begin = to;

	*to++ = STEP_LITERAL;
	to = put_varint(to, sizeof(head) + e->size + padding);
	out->len += (size_t)(to - begin);
	strbuf_add(out, &head, sizeof(head));
	strbuf_add(out, data, e->size);
	strbuf_add(out, zeroes, padding);
}

void
record_pack_data(struct record_packer *pk, struct strbuf *out,
    const struct record_e_data *e, const void *data)
{
	struct past *p = &pk->past;
	struct model *m = model_of(p, e->epid);
	char *begin, *to, *step;

	if (e->size > MAX_SIZE) {
		pack_large(out, e, data);
		return;
	}
	/* words in their longest form, their mask, and the rest */
	begin = step = strbuf_room(
	    out, (WORD_MAX + 1) * words_of(e->size) + 8 * VARINT_MAX);
	to = step + 1;
	*step = STEP_RECORD;
	if (e->epid != predict_epid(p)) {
		*step |= STEP_EPID;
		to = put_varint(to, e->epid);
	}
	if (e->next_epid != m->next_epid) {
		*step |= STEP_NEXT;
		to = put_varint(to, e->next_epid);
	}
	if (e->cpu != p->cpu) {
		*step |= STEP_CPU;
		to = put_varint(to, e->cpu);
	}
	if (e->size != m->size) {
		*step |= STEP_SIZE;
		to = put_varint(to, e->size);
	}
	to = put_varint(to, fold(e->time_ns, p->time_ns));
	to =
	    put_words(to, data, is_like(m, e), pk->words[e->epid % NMODELS], e);
	learn(p, m, e, 0);
	out->len += (size_t)(to - begin);
}

void
record_pack_item(struct strbuf *out, const void *item, size_t len)
{
	char *begin = strbuf_room(out, 1 + VARINT_MAX), *to = begin;

	*to++ = STEP_LITERAL;
	to = put_varint(to, len);
	out->len += (size_t)(to - begin);
	strbuf_add(out, item, len);
}

/* ---- unpacking ---------------------------------------------------------- */

struct input {
	const uint8_t *p, *end;
};

static bool
take_varint(struct input *in, uint64_t *v)
{
	*v = 0;
	for (unsigned n = 0; n < VARINT_MAX && in->p < in->end; n++) {
		uint8_t byte = *in->p++;

		*v |= (uint64_t)(byte & 0x7f) << 7 * n;
		if (byte < 0x80)
			return true;
	}
	return false;
}

static bool
take_u32(struct input *in, uint32_t *v)
{
	uint64_t wide;

	if (!take_varint(in, &wide) || wide > UINT32_MAX)
		return false;
	*v = (uint32_t)wide;
	return true;
}

static bool
take_word(struct input *in, uint64_t guess, uint64_t *word)
{
	size_t left = (size_t)(in->end - in->p);
	uint64_t v = 0;
	unsigned n;

	if (left == 0)
		return false;
	n = *in->p++;
	if (n > left - 1 || (n > WORD_DELTA_MAX && n != 8))
		return false;
	if (left > sizeof(v)) {
		memcpy(&v, in->p, sizeof(v));
		if (n < 8)
			v &= ((uint64_t)1 << 8 * n) - 1;
	} else {
		memcpy(&v, in->p, n);
	}
	in->p += n;
	*word = n == 8 ? v : unfold(v, guess);
	return true;
}

static void
put_u64(char *to, uint64_t v)
{
	memcpy(to, &v, sizeof(v));
}

/* Copy n words: a block of four is one copy of a known size, as a call or a
 * string instruction would take longer than most records. */
static void
copy(char *to, const char *from, size_t n)
{
	size_t k = 0;

	for (; k + 4 <= n; k += 4)
		memcpy(to + 8 * k, from + 8 * k, 32);
	for (; k < n; k++)
		memcpy(to + 8 * k, from + 8 * k, 8);
}

/* All words as predicted. */
static void
copy_words(char *data, const char *before, const struct record_e_data *e)
{
	size_t nwords = words_of(e->size);
	uint64_t word = 0;

	if (before != NULL)
		copy(data, before, nwords);
	else
		memset(data, 0, 8 * nwords);
	if (nwords > 0)
		put_u64(data, predict_word(0, 0, e));
	if (nwords > 1) {
		memcpy(&word, data + 8, sizeof(word));
		put_u64(data + 8, predict_word(word, 1, e));
	}
}

static bool
take_words(struct input *in, char *data, const char *before,
    const struct record_e_data *e)
{
	size_t nwords = words_of(e->size), nmask = (nwords + 7) / 8;
	const uint8_t *mask = in->p;
	uint64_t word;

	if ((size_t)(in->end - in->p) < nmask)
		return false;
	in->p += nmask;
	copy_words(data, before, e);
	for (size_t n = 0; n < nmask; n++) {
		for (unsigned bits = mask[n]; bits != 0; bits &= bits - 1) {
			size_t k = 8 * n + (unsigned)__builtin_ctz(bits);

			if (k >= nwords)
				return false;
			memcpy(&word, data + 8 * k, sizeof(word));
			if (!take_word(in, word, &word))
				return false;
			memcpy(data + 8 * k, &word, sizeof(word));
		}
	}
	return true;
}

/* The record's description: what the step does not tell is as predicted. */
static bool
take_head(
    struct past *p, struct input *in, unsigned step, struct record_e_data *e)
{
	const struct model *m;
	uint64_t folded;

	e->epid = predict_epid(p);
	if ((step & STEP_EPID) != 0 && !take_u32(in, &e->epid))
		return false;
	m = model_of(p, e->epid);
	e->next_epid = m->next_epid;
	e->cpu = p->cpu;
	e->size = m->size;
	if (((step & STEP_NEXT) != 0 && !take_u32(in, &e->next_epid)) ||
	    ((step & STEP_CPU) != 0 && !take_u32(in, &e->cpu)) ||
	    ((step & STEP_SIZE) != 0 && !take_u32(in, &e->size)) ||
	    e->size > MAX_SIZE || !take_varint(in, &folded))
		return false;
	e->time_ns = unfold(folded, p->time_ns);
	return true;
}

/* The item's header, and the fields before the data. */
#define HEAD (sizeof(struct record_item) + sizeof(struct record_e_data))
_Static_assert(HEAD == 32 && offsetof(struct record_item, len) == 4 &&
	offsetof(struct record_e_data, next_epid) == 12 &&
	offsetof(struct record_e_data, size) == 20,
    "put_head() writes these");

static void
put_head(char *to, const struct record_e_data *e)
{
	uint64_t len = sizeof(*e) + e->size;

	put_u64(to, RECORD_DATA | len << 32);
	put_u64(to + 8, e->time_ns);
	put_u64(to + 16, e->epid | (uint64_t)e->next_epid << 32);
	put_u64(to + 24, e->cpu | (uint64_t)e->size << 32);
}

/* Returns where the record ends in the raw bytes; 0: it is damaged. */
static size_t
take_record(struct past *p, struct input *in, unsigned step, char *raw,
    size_t at, size_t len)
{
	struct record_e_data e;
	struct model *m;
	const char *before;
	size_t size;

	if (!take_head(p, in, step, &e))
		return 0;
	size = HEAD + 8 * words_of(e.size);
	if (size > len - at)
		return 0;
	put_head(raw + at, &e);
	m = model_of(p, e.epid);
	before = is_like(m, &e) ? raw + m->at : NULL;
	if (!take_words(in, raw + at + HEAD, before, &e))
		return 0;
	learn(p, m, &e, at + HEAD);
	return at + size;
}

static size_t
take_literal(struct input *in, char *raw, size_t at, size_t len)
{
	uint64_t n;

	if (!take_varint(in, &n) || n == 0 || n > len - at ||
	    n > (uint64_t)(in->end - in->p))
		return 0;
	memcpy(raw + at, in->p, (size_t)n);
	in->p += n;
	return at + (size_t)n;
}

bool
record_unpack(const char *packed, size_t n, char *raw, size_t len)
{
	struct past p = { .epid = 0 };
	struct input in = { (const uint8_t *)packed,
		(const uint8_t *)packed + n };
	size_t at = 0;

	while (in.p < in.end) {
		unsigned step = *in.p++;

		if ((step & STEP_RECORD) != 0 && step <= STEP_ALL)
			at = take_record(&p, &in, step, raw, at, len);
		else if (step == STEP_LITERAL)
			at = take_literal(&in, raw, at, len);
		else
			return false;
		if (at == 0)
			return false;
	}
	return at == len;
}
