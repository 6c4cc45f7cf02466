/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * printm() and pcap(): bytes of any length (PLAN_REF).
 *
 * pcap() shows a packet as tracemem() does, unless freopen() has redirected the
 * output to a file: to a file it writes the capture format of libpcap
 * (draft-ietf-opsawg-pcap), so that tcpdump and wireshark can read it.
 *
 *	file header:	magic | 2.4 | 0 | 0 | longest packet | link type
 *	packet header:	seconds | nanoseconds | bytes here | bytes it had
 */
#include "consume/consume_impl.h"

#include <string.h>
#include <sys/stat.h>

#include "base/str.h"

#define PCAP_MAGIC_NS 0xa1b23c4d /* times are in nanoseconds */
#define LINKTYPE_ETHERNET 1

/* The length of the data, and in *have the number of recorded bytes. */
uint64_t
datum_ref_length(const struct datum *d, size_t *have)
{
	size_t room = d->rec->size - PLAN_REFHDR;
	uint64_t len;

	memcpy(&len, d->data, sizeof(len));
	*have = len < room ? (size_t)len : room;
	return len;
}

const char *
datum_ref_bytes(const struct datum *d)
{
	return (const char *)d->data + PLAN_REFHDR;
}

void
out_ref(struct consumer *c, const struct datum *d)
{
	size_t have;

	datum_ref_length(d, &have);
	out_dump(&c->buf, datum_ref_bytes(d), have);
}

/* Records have times of a clock that never jumps; files have the date. */
static uint64_t
wall_time(const struct consumer *c, uint64_t time_ns)
{
	return time_ns + consumer_wall_offset(c);
}

static void
pcap_file_header(struct consumer *c, uint32_t snaplen)
{
	const struct {
		uint32_t magic;
		uint16_t major, minor;
		uint32_t reserved[2], snaplen, linktype;
	} hdr = { PCAP_MAGIC_NS, 2, 4, { 0, 0 }, snaplen, LINKTYPE_ETHERNET };

	strbuf_add(&c->buf, &hdr, sizeof(hdr));
}

/* Data in the file come from an earlier pcap(). */
static bool
output_is_empty(struct consumer *c)
{
	struct stat st;

	consumer_flush(c);
	return c->out != NULL && fstat(fileno(c->out), &st) == 0 &&
	    st.st_size == 0;
}

static void
pcap_packet(
    struct consumer *c, const struct dt_record *rec, const struct datum *d)
{
	uint64_t wall = wall_time(c, rec->time_ns), len;
	size_t have;
	uint32_t hdr[4];

	len = datum_ref_length(d, &have);
	hdr[0] = (uint32_t)(wall / 1000000000);
	hdr[1] = (uint32_t)(wall % 1000000000);
	hdr[2] = (uint32_t)have;
	hdr[3] = len < UINT32_MAX ? (uint32_t)len : UINT32_MAX;
	strbuf_add(&c->buf, hdr, sizeof(hdr));
	strbuf_add(&c->buf, datum_ref_bytes(d), have);
}

void
out_pcap(struct consumer *c, const struct dt_record *rec, const struct datum *d)
{
	if (c->out == c->first_out) {
		out_ref(c, d);
		return;
	}
	if (!c->has_pcap && output_is_empty(c))
		pcap_file_header(c, d->rec->size - PLAN_REFHDR);
	c->has_pcap = true;
	pcap_packet(c, rec, d);
}
