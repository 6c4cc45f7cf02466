/* SPDX-License-Identifier: BSD-2-Clause */
#include "fleet/message.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC "DTF1"

struct head {
	char magic[4];
	uint16_t kind, reserved;
	uint32_t text, data;
	uint64_t number, value;
};
_Static_assert(sizeof(struct head) == 32, "no padding");

void
fl_msg_encode(const struct fl_msg *msg, struct strbuf *out)
{
	struct head h = { .kind = (uint16_t)msg->kind,
		.text = (uint32_t)(msg->text_len < FL_TEXT_MAX ? msg->text_len :
								 FL_TEXT_MAX),
		.data = (uint32_t)msg->len,
		.number = msg->number,
		.value = msg->value };

	memcpy(h.magic, MAGIC, sizeof(h.magic));
	strbuf_add(out, &h, sizeof(h));
	if (h.text != 0)
		strbuf_add(out, msg->text, h.text);
	if (h.data != 0)
		strbuf_add(out, msg->data, h.data);
}

static bool
is_kind(uint16_t kind)
{
	return (kind >= FL_TRYING && kind <= FL_MERGED) ||
	    (kind >= FL_BEAT && kind <= FL_DIRECT);
}

bool
fl_msg_decode(const void *bytes, size_t len, struct fl_msg *out)
{
	struct head h;

	if (len < sizeof(h))
		return false;
	memcpy(&h, bytes, sizeof(h));
	if (memcmp(h.magic, MAGIC, sizeof(h.magic)) != 0 || !is_kind(h.kind) ||
	    h.text > FL_TEXT_MAX || h.data > FL_DATA_MAX ||
	    len != sizeof(h) + h.text + h.data)
		return false;
	*out = (struct fl_msg){ .kind = (enum fl_kind)h.kind,
		.number = h.number,
		.value = h.value,
		.text = (const char *)bytes + sizeof(h),
		.text_len = h.text,
		.data = (const char *)bytes + sizeof(h) + h.text,
		.len = h.data };
	return true;
}

char *
fl_msg_text(const struct fl_msg *msg)
{
	char *raw = mem_strndup(msg->text, msg->text_len);
	struct strbuf sb = { 0 };

	strbuf_add_plain(&sb, raw, "\n\t");
	free(raw);
	return strbuf_steal(&sb);
}

bool
fl_is_silent(uint64_t now, uint64_t heard_ns, uint64_t cut_ns, bool is_cut)
{
	uint64_t since = heard_ns > cut_ns ? heard_ns : cut_ns;

	if (now - heard_ns > FL_CUT_NS)
		return true;
	return !is_cut && now - since > FL_SILENCE_NS;
}

/* ---- streams ------------------------------------------------------------- */

static void
skip_to(struct fl_stream *s, uint64_t number)
{
	if (number <= s->next)
		return;
	s->nlost += number - s->next;
	s->next = number;
	s->is_broken = true;
}

static bool
is_part(const struct fl_msg *msg, uint32_t size, uint32_t at)
{
	return size != 0 && size <= FL_BLOCK_MAX && msg->len != 0 &&
	    at < size && msg->len <= size - at;
}

bool
fl_stream_add(struct fl_stream *s, const struct fl_msg *msg)
{
	uint32_t size = (uint32_t)(msg->value >> 32);
	uint32_t at = (uint32_t)msg->value;

	if (msg->number < s->next)
		return false; /* it came twice */
	skip_to(s, msg->number);
	s->next++;
	if (at == 0) {
		strbuf_reset(&s->block);
		s->size = size;
		s->is_broken = false;
	}
	if (!is_part(msg, size, at) || size != s->size || at != s->block.len) {
		s->nlost += !s->is_broken;
		s->is_broken = true;
	}
	if (s->is_broken)
		return false;
	strbuf_add(&s->block, msg->data, msg->len);
	return s->block.len == size;
}

void
fl_stream_sent(struct fl_stream *s, uint64_t nparts)
{
	skip_to(s, nparts);
}

void
fl_stream_fini(struct fl_stream *s)
{
	strbuf_fini(&s->block);
}
