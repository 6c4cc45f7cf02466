/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Addresses and identifiers as text: inet_ntop and family, link_ntop, uuidstr.
 *
 * The bytes are read into the loop's variables, the text is built in scratch
 * by loops that write a byte's or a group's digits in each step.
 */
#include "exec/runtime/rt_code.h"

/* Families of inet_ntop() and types of link_ntop(): <sys/socket.h>,
 * <net/if_arp.h>. */
#define RT_AF_INET 2
#define RT_AF_INET6 10
#define RT_ARPHRD_ETHER 1
#define RT_ARPHRD_INFINIBAND 32

#define TEXT_MAX 64 /* 20 bytes of InfiniBand: 60 with the NUL */

struct rt_net_text {
	u64 off;      /* in mem: the next character */
	u8 bytes[32]; /* the address or identifier */
	u64 first;    /* index of the byte where an IPv4 address begins */
	u64 seps;     /* bit n: a separator precedes byte n */
	u64 sep;
	/* IPv6: runs of groups that are zero */
	u64 run, run_len;
	u64 best, best_len;
};

RT_INLINE void
put(struct rt_mstate *ms, struct rt_net_text *x, u64 c)
{
	*rt_mem(ms, x->off) = (u8)c;
	x->off++;
}

RT_INLINE void
put_hex(struct rt_mstate *ms, struct rt_net_text *x, u64 digit)
{
	digit &= 15;
	put(ms, x, digit < 10 ? '0' + digit : 'a' + digit - 10);
}

/*
 * Read `size` bytes and claim room for the text: its offset, or RT_NONE after a
 * fault.
 */
RT_INLINE u64
text_start(struct rt_mstate *ms, u64 addr, u64 size)
{
	struct rt_net_text *x = RT_LOOP_VARS(struct rt_net_text, ms);
	u64 off;

	if (rt_peek(ms, x->bytes, size, addr) != 0) {
		rt_fault(ms, DIF_FLT_BADADDR, addr);
		return RT_NONE;
	}
	if ((off = rt_claim(ms, TEXT_MAX)) == RT_NONE)
		return RT_NONE;
	x->off = off;
	return off;
}

RT_INLINE u64
text_end(struct rt_mstate *ms, u64 start)
{
	struct rt_net_text *x = RT_LOOP_VARS(struct rt_net_text, ms);

	put(ms, x, 0);
	ms->scratch = x->off;
	return rt_addr(ms, start);
}

/* ---- IPv4 --------------------------------------------------------------- */

RT_CALLBACK long
octet_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct rt_net_text *x = RT_LOOP_VARS(struct rt_net_text, ms);
	u64 byte = x->bytes[(x->first + i) & 15];

	if (i != 0)
		put(ms, x, '.');
	if (byte >= 100)
		put(ms, x, '0' + byte / 100);
	if (byte >= 10)
		put(ms, x, '0' + byte / 10 % 10);
	put(ms, x, '0' + byte % 10);
	return 0;
}

RT_INLINE void
put_ipv4(struct rt_mstate *ms, u64 first)
{
	struct rt_net_text *x = RT_LOOP_VARS(struct rt_net_text, ms);
	struct rt_ctx ctx = { ms };

	x->first = first;
	RT_LOOP(4, octet_step, &ctx);
}

RT_INLINE u64
ipv4(struct rt_mstate *ms, u64 addr)
{
	u64 start = text_start(ms, addr, 4);

	if (start == RT_NONE)
		return 0;
	put_ipv4(ms, 0);
	return text_end(ms, start);
}

/* ---- IPv6 --------------------------------------------------------------- */

RT_INLINE u64
group(const struct rt_net_text *x, u64 i)
{
	return (u64)x->bytes[2 * i & 15] << 8 | x->bytes[(2 * i + 1) & 15];
}

/* The longest run of zero groups; the first one of equal length. */
RT_CALLBACK long
run_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct rt_net_text *x = RT_LOOP_VARS(struct rt_net_text, ms);

	if (group(x, i) != 0) {
		x->run_len = 0;
		return 0;
	}
	if (x->run_len == 0)
		x->run = i;
	x->run_len++;
	if (x->run_len > x->best_len) {
		x->best = x->run;
		x->best_len = x->run_len;
	}
	return 0;
}

RT_CALLBACK long
group_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct rt_net_text *x = RT_LOOP_VARS(struct rt_net_text, ms);
	u64 value = group(x, i);

	if (i - x->best < x->best_len) {
		if (i == x->best)
			put(ms, x, ':');
		return 0;
	}
	if (i != 0)
		put(ms, x, ':');
	if (value >= 0x1000)
		put_hex(ms, x, value >> 12);
	if (value >= 0x100)
		put_hex(ms, x, value >> 8);
	if (value >= 0x10)
		put_hex(ms, x, value >> 4);
	put_hex(ms, x, value);
	return 0;
}

/* ::a.b.c.d and ::ffff:a.b.c.d: RFC 1884, section 2.4.4 */
RT_INLINE int
holds_ipv4(const struct rt_net_text *x)
{
	return x->best == 0 &&
	    (x->best_len == 6 || (x->best_len == 5 && group(x, 5) == 0xffff));
}

/*
 * RFC 1884, section 2.2: groups in hexadecimal; one run of zero groups becomes
 * "::".
 */
RT_INLINE u64
ipv6(struct rt_mstate *ms, u64 addr)
{
	struct rt_net_text *x = RT_LOOP_VARS(struct rt_net_text, ms);
	u64 start = text_start(ms, addr, 16);
	struct rt_ctx ctx = { ms };

	if (start == RT_NONE)
		return 0;
	x->run_len = x->best = x->best_len = 0;
	RT_LOOP(8, run_step, &ctx);
	if (x->best_len < 2)
		x->best_len = 0;
	if (holds_ipv4(x)) {
		RT_LOOP(6, group_step, &ctx);
		put(ms, x, ':');
		put_ipv4(ms, 12);
	} else {
		RT_LOOP(8, group_step, &ctx);
		if (x->best_len != 0 && x->best + x->best_len == 8)
			put(ms, x, ':');
	}
	return text_end(ms, start);
}

RT_PUBLIC u64
rt_inet_ntoa(u64 slot, u64 addr)
{
	struct rt_mstate *ms = rt_ms(slot);

	return ms != NULL ? ipv4(ms, addr) : 0;
}

RT_PUBLIC u64
rt_inet_ntoa6(u64 slot, u64 addr)
{
	struct rt_mstate *ms = rt_ms(slot);

	return ms != NULL ? ipv6(ms, addr) : 0;
}

RT_PUBLIC u64
rt_inet_ntop(u64 slot, u64 family, u64 addr)
{
	struct rt_mstate *ms = rt_ms(slot);

	if (ms == NULL)
		return 0;
	if ((u32)family == RT_AF_INET)
		return ipv4(ms, addr);
	if ((u32)family == RT_AF_INET6)
		return ipv6(ms, addr);
	return rt_fault(ms, DIF_FLT_ILLOP, family);
}

/* ---- rows of bytes ------------------------------------------------------ */

RT_CALLBACK long
byte_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct rt_net_text *x = RT_LOOP_VARS(struct rt_net_text, ms);
	u64 byte = x->bytes[i & (sizeof(x->bytes) - 1)];

	if (x->seps >> i & 1)
		put(ms, x, x->sep);
	put_hex(ms, x, byte >> 4);
	put_hex(ms, x, byte);
	return 0;
}

RT_INLINE u64
put_bytes(struct rt_mstate *ms, u64 addr, u64 size, u64 seps, u8 sep)
{
	struct rt_net_text *x = RT_LOOP_VARS(struct rt_net_text, ms);
	u64 start = text_start(ms, addr, size);
	struct rt_ctx ctx = { ms };

	if (start == RT_NONE)
		return 0;
	x->seps = seps;
	x->sep = sep;
	RT_LOOP(size, byte_step, &ctx);
	return text_end(ms, start);
}

#define BETWEEN_ALL (~(u64)1)
#define BETWEEN_UUID_FIELDS (1 << 4 | 1 << 6 | 1 << 8 | 1 << 10)

RT_PUBLIC u64
rt_link_ntop(u64 slot, u64 type, u64 addr)
{
	struct rt_mstate *ms = rt_ms(slot);

	if (ms == NULL)
		return 0;
	if ((u32)type == RT_ARPHRD_ETHER)
		return put_bytes(ms, addr, 6, BETWEEN_ALL, ':');
	if ((u32)type == RT_ARPHRD_INFINIBAND)
		return put_bytes(ms, addr, 20, BETWEEN_ALL, ':');
	return rt_fault(ms, DIF_FLT_ILLOP, type);
}

/* The 16 bytes in the order of the text, as Linux's uuid_t has them (RFC 4122,
 * section 3). */
RT_PUBLIC u64
rt_uuidstr(u64 slot, u64 addr)
{
	struct rt_mstate *ms = rt_ms(slot);

	return ms != NULL ? put_bytes(ms, addr, 16, BETWEEN_UUID_FIELDS, '-') :
			    0;
}
