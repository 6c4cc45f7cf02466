/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
#ifndef EXEC_RUNTIME_RT_ZONE_H
#define EXEC_RUNTIME_RT_ZONE_H

/*
 * Containers by the names of their control groups.  The kernel's programs and
 * dtrace share these rules:
 *
 *	.../docker-ID.scope		docker, also libpod (podman), crio,
 *	.../docker/ID			cri-containerd, nerdctl; Kubernetes
 *	.../machine-NAME.scope		systemd-nspawn and machined
 *	.../systemd-nspawn@NAME.service
 *	.../lxc.payload.NAME		LXC
 *	.../lxc/NAME
 *
 * An ID has 64 hexadecimal digits.  A name in a unit's name is escaped
 * (systemd.unit(5)): '-' is \x2d.  conmon-ID.scope only watches a container.
 *
 * Text is read by ZONE_READ and ZONE_HEAD, which are rt_peek and rt_peek_str
 * (rt_prim.h) unless the includer defines others.
 */
#include "exec/runtime/rt_code.h"

#ifndef ZONE_READ
#define ZONE_READ(ctx, dst, size, addr) rt_peek(ctx, dst, size, addr)
#define ZONE_HEAD(ctx, dst, size, addr) rt_peek_str(ctx, dst, size, addr)
#endif

#define ZONE_ID 64	 /* digits of an id */
#define ZONE_SHORT_ID 12 /* those that zonename shows */
#define ZONE_CHUNK 64
#define ZONE_CHUNKS 5 /* of a name; NAME_MAX is 255 */

#define ZONE_TEXT8(s)                                                          \
	((u64)(u8)(s)[0] | (u64)(u8)(s)[1] << 8 | (u64)(u8)(s)[2] << 16 |      \
	    (u64)(u8)(s)[3] << 24 | (u64)(u8)(s)[4] << 32 |                    \
	    (u64)(u8)(s)[5] << 40 | (u64)(u8)(s)[6] << 48 |                    \
	    (u64)(u8)(s)[7] << 56)

enum zone_kind { ZONE_NONE, ZONE_HAS_ID, ZONE_HAS_NAME };

/* The part of a group's name that names a container. */
struct zone {
	u64 kind;
	u64 from, len;	/* address, bytes */
	u64 is_escaped; /* a unit's name */
	u64 failed;	/* the text could not be read */
	u64 buf[ZONE_CHUNK / 8];
};

RT_INLINE u64
zone_word(const struct rt_mstate *ctx, struct zone *z, u64 addr)
{
	(void)ctx;
	z->buf[0] = 0;
	if (ZONE_READ(ctx, z->buf, 8, addr) != 0)
		z->failed = 1;
	return z->buf[0];
}

/* The length of the string at `name`. */
RT_INLINE u64
zone_len(const struct rt_mstate *ctx, struct zone *z, u64 name)
{
	u64 len = 0;

	(void)ctx;
	RT_UNROLL
	for (u32 i = 0; i < ZONE_CHUNKS; i++) {
		long n = ZONE_HEAD(ctx, z->buf, ZONE_CHUNK, name + len);

		if (n <= 0) {
			z->failed = 1;
			return 0;
		}
		len += (u64)n - 1;
		if (n < ZONE_CHUNK)
			return len;
	}
	return len;
}

/* The length of a name without ".scope" or ".service". */
RT_INLINE u64
zone_unit_len(const struct rt_mstate *ctx, struct zone *z, u64 name, u64 len)
{
	u64 end;

	if (len <= 8)
		return len;
	end = zone_word(ctx, z, name + len - 8);
	if (end == ZONE_TEXT8(".service"))
		return len - 8;
	return end >> 16 == ZONE_TEXT8(".scope\0\0") ? len - 6 : len;
}

/* Are eight bytes hexadecimal digits? */
RT_INLINE u64
zone_is_hex(u64 w)
{
	u64 digits =
	    (w + (0x80 - '0') * RT_ONES) & ~(w + (0x80 - '9' - 1) * RT_ONES);
	u64 letters =
	    (w + (0x80 - 'a') * RT_ONES) & ~(w + (0x80 - 'f' - 1) * RT_ONES);

	return (w & RT_HIGHS) == 0 &&
	    ((digits | letters) & RT_HIGHS) == RT_HIGHS;
}

/* Does the name, of `len` bytes without its unit's suffix, end in an id? */
RT_INLINE void
zone_find_id(const struct rt_mstate *ctx, struct zone *z, u64 name, u64 len)
{
	u64 are_hex = 1, before = 0;

	if (len < ZONE_ID)
		return;
	if (len >= ZONE_ID + 8)
		before = zone_word(ctx, z, name + len - ZONE_ID - 8);
	else if (len > ZONE_ID)
		before = zone_word(ctx, z, name + len - ZONE_ID - 1) << 56;
	if ((len > ZONE_ID && before >> 56 != '-') ||
	    before >> 8 == ZONE_TEXT8("conmon-\0"))
		return;
	if (ZONE_READ(ctx, z->buf, ZONE_ID, name + len - ZONE_ID) != 0) {
		z->failed = 1;
		return;
	}
	RT_UNROLL
	for (u32 i = 0; i < ZONE_ID / 8; i++)
		are_hex &= zone_is_hex(z->buf[i]);
	if (!are_hex)
		return;
	z->kind = ZONE_HAS_ID;
	z->from = name + len - ZONE_ID;
	z->len = ZONE_ID;
}

RT_INLINE void
zone_found(struct zone *z, u64 name, u64 len, u64 before)
{
	if (len <= before)
		return;
	z->kind = ZONE_HAS_NAME;
	z->is_escaped = 1;
	z->from = name + before;
	z->len = len - before;
}

/* Does the name begin as those of machines do? */
RT_INLINE void
zone_find_name(const struct rt_mstate *ctx, struct zone *z, u64 name, u64 len)
{
	u64 first, second;

	(void)ctx;
	z->buf[0] = z->buf[1] = 0;
	if (ZONE_HEAD(ctx, z->buf, 17, name) <= 0) {
		z->failed = 1;
		return;
	}
	first = z->buf[0];
	second = z->buf[1];
	if (first == ZONE_TEXT8("machine-"))
		zone_found(z, name, len, 8);
	else if (first == ZONE_TEXT8("systemd-") &&
	    (second & rt_low_mask(7)) == ZONE_TEXT8("nspawn@\0"))
		zone_found(z, name, len, 15);
	else if (first == ZONE_TEXT8("lxc.payl") &&
	    (second & rt_low_mask(4)) == ZONE_TEXT8("oad.\0\0\0\0"))
		zone_found(z, name, len, 12);
}

/* Is the string "lxc"? */
RT_INLINE u64
zone_is_lxc(const struct rt_mstate *ctx, struct zone *z, u64 name)
{
	(void)ctx;
	z->buf[0] = 0;
	if (ZONE_HEAD(ctx, z->buf, 5, name) <= 0)
		z->failed = 1;
	return z->buf[0] == ZONE_TEXT8("lxc\0\0\0\0\0");
}

/* Find a container in the group `name`, which is below the group `above`. */
RT_INLINE void
zone_find(const struct rt_mstate *ctx, struct zone *z, u64 name, u64 above)
{
	u64 len, unit;

	z->kind = ZONE_NONE;
	z->is_escaped = z->failed = 0;
	len = zone_len(ctx, z, name);
	unit = zone_unit_len(ctx, z, name, len);
	zone_find_id(ctx, z, name, unit);
	if (z->kind == ZONE_NONE)
		zone_find_name(ctx, z, name, unit);
	if (z->kind != ZONE_NONE || len == 0 || !zone_is_lxc(ctx, z, above))
		return;
	z->kind = ZONE_HAS_NAME;
	z->from = name;
	z->len = len;
}

/* The value of a hexadecimal digit; above 15: it is none. */
RT_INLINE u64
zone_digit(u64 c)
{
	u64 letter = (c | 0x20) - 'a';

	if (c - '0' < 10)
		return c - '0';
	return letter < 6 ? letter + 10 : 16;
}

/*
 * The next character of an escaped name, whose next four bytes are `word`; adds
 * the bytes that it takes to *at.
 */
RT_INLINE u64
zone_char(u64 word, u64 *at)
{
	u64 high = zone_digit((word >> 16) & 0xff);
	u64 low = zone_digit((word >> 24) & 0xff);

	if ((word & 0xffff) != ('\\' | 'x' << 8) || high > 15 || low > 15) {
		*at += 1;
		return word & 0xff;
	}
	*at += 4;
	return high << 4 | low;
}

#endif
