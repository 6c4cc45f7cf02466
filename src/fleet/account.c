/* SPDX-License-Identifier: BSD-2-Clause */
#include "fleet/account.h"

#include <string.h>

struct account_head {
	uint64_t next, lost;
	uint16_t flags, name;
};
#define HEAD_SIZE 20 /* without the struct's padding */

void
fl_account_add(struct strbuf *out, const struct fl_account *a)
{
	struct account_head h = { a->next, a->lost, (uint16_t)a->flags,
		(uint16_t)strlen(a->host) };

	strbuf_add(out, &h, HEAD_SIZE);
	strbuf_add(out, a->host, h.name);
}

bool
fl_account_next(
    const void *bytes, size_t len, size_t *at, struct fl_account *out)
{
	const char *p = (const char *)bytes + *at;
	struct account_head h;

	if (len - *at < HEAD_SIZE)
		return false;
	memcpy(&h, p, HEAD_SIZE);
	if (h.name == 0 || h.name > FL_HOST_MAX ||
	    len - *at - HEAD_SIZE < h.name ||
	    memchr(p + HEAD_SIZE, '\0', h.name) != NULL)
		return false;
	*out = (struct fl_account){
		.next = h.next, .lost = h.lost, .flags = h.flags
	};
	memcpy(out->host, p + HEAD_SIZE, h.name);
	*at += HEAD_SIZE + h.name;
	return true;
}
