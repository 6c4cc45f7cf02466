/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values as text for files that programs read: names, numbers, stacks.
 *
 * A frame is module`symbol without an offset, since the places of one function
 * are one function to a profile.  A frame without a name is its module and the
 * offset in it, which all processes have in common; or its address.
 */
#include <string.h>

#include "base/str.h"
#include "consume/event.h"

bool
plain_is_stack(const dtrace_value_t *val)
{
	return val->dtva_kind == DTRACE_VALUE_STACK ||
	    val->dtva_kind == DTRACE_VALUE_USTACK;
}

void
plain_frame(struct strbuf *sb, const dtrace_frame_t *f)
{
	if (f->dtfr_helper != NULL && f->dtfr_module == NULL) {
		strbuf_adds(sb, f->dtfr_helper);
		return;
	}
	if (f->dtfr_module != NULL)
		strbuf_printf(sb, "%s`", f->dtfr_module);
	if (f->dtfr_symbol != NULL) {
		strbuf_adds(sb, f->dtfr_symbol);
		return;
	}
	if (f->dtfr_module != NULL)
		strbuf_addc(sb, '+');
	strbuf_add_hex(
	    sb, f->dtfr_module != NULL ? f->dtfr_offset : f->dtfr_address);
}

void
plain_folded(struct strbuf *sb, const char *s, size_t len)
{
	size_t start = sb->len;

	out_escape(sb, s, len, utf8_visible);
	for (size_t i = start; i < sb->len; i++) {
		if (sb->s[i] == ';')
			sb->s[i] = ':';
	}
}

void
plain_stack(struct strbuf *sb, const dtrace_value_t *val)
{
	struct strbuf frame = { 0 };

	for (uint32_t i = val->dtva_count; i-- > 0;) {
		strbuf_reset(&frame);
		plain_frame(&frame, &val->dtva_frames[i]);
		strbuf_addc(sb, ';');
		plain_folded(sb, frame.s, frame.len);
	}
	strbuf_fini(&frame);
}

void
plain_value(struct strbuf *sb, const dtrace_value_t *val)
{
	switch (val->dtva_kind) {
	case DTRACE_VALUE_STRING:
		if (utf8_valid(val->dtva_data, val->dtva_size))
			strbuf_add(sb, val->dtva_data, val->dtva_size);
		else
			json_value(sb, val);
		break;
	case DTRACE_VALUE_ENUM:
		if (val->dtva_data != NULL)
			strbuf_add(sb, val->dtva_data, val->dtva_size);
		else
			json_value(sb, val);
		break;
	case DTRACE_VALUE_ADDRESS:
	case DTRACE_VALUE_UADDRESS:
		plain_frame(sb, val->dtva_frames);
		break;
	case DTRACE_VALUE_NONE:
	case DTRACE_VALUE_INT:
	case DTRACE_VALUE_UINT:
	case DTRACE_VALUE_BOOL:
	case DTRACE_VALUE_FLOAT:
	case DTRACE_VALUE_BYTES:
	case DTRACE_VALUE_ARRAY:
	case DTRACE_VALUE_STRUCT:
	case DTRACE_VALUE_STACK:
	case DTRACE_VALUE_USTACK:
		json_value(sb, val);
		break;
	}
}

int64_t
plain_amount(const dtrace_aggvalue_t *val)
{
	uint64_t n = 0; /* a process may have written any counts */

	if (val->dtav_value.dtva_kind == DTRACE_VALUE_UINT)
		return (int64_t)val->dtav_value.dtva_uint;
	if (val->dtav_value.dtva_kind == DTRACE_VALUE_INT)
		return val->dtav_value.dtva_int;
	for (uint32_t i = 0; i < val->dtav_nbuckets; i++)
		n += (uint64_t)val->dtav_buckets[i].dtbu_count;
	return (int64_t)n;
}
