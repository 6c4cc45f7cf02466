/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/hash.h"

#include <string.h>

/* Multiplication spreads a word upwards; the shift brings that down again. */
static uint64_t
hash_word(uint64_t h, uint64_t word)
{
	h = (h ^ word) * 0x9e3779b97f4a7c15ULL;
	return h ^ (h >> 32);
}

uint64_t
hash_bytes(const void *data, size_t len)
{
	const char *p = data;
	uint64_t h = len, word;

	for (; len >= sizeof(word); len -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		h = hash_word(h, word);
	}
	for (word = 0; len-- > 0; p++)
		word = word << 8 | (unsigned char)*p;
	return hash_word(h, word);
}
