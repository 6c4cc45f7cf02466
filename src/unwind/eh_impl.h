/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef UNWIND_EH_IMPL_H
#define UNWIND_EH_IMPL_H

/*
 * Entries of .eh_frame, and the numbers in them: its readers share them.
 */
#include <stdbool.h>

#include "base/err.h"
#include "base/vec.h"
#include "unwind/unwind.h"

#define REG_RA 16 /* DWARF's number of the return address (psABI, 3.36) */

/* Pointer encodings (LSB, section 10.5.1) */
enum {
	PE_ABSPTR = 0x00,
	PE_ULEB = 0x01,
	PE_UDATA2 = 0x02,
	PE_UDATA4 = 0x03,
	PE_UDATA8 = 0x04,
	PE_SDATA2 = 0x0a,
	PE_SDATA4 = 0x0b,
	PE_SDATA8 = 0x0c,
	PE_PCREL = 0x10,
	PE_OMIT = 0xff,
};

/* Bytes being read; once `bad`, everything reads as 0. */
struct eh_cur {
	const uint8_t *p, *end;
	bool bad;
};

struct eh_cie {
	uint32_t at; /* offset in the section */
	uint32_t insns, insns_end;
	uint64_t code_align;
	int64_t data_align;
	uint8_t enc;	/* of the FDEs' addresses */
	uint8_t lsda;	/* encoding of the FDEs' language data, or PE_OMIT */
	bool has_aug;	/* FDEs have augmentation data */
	bool is_signal; /* its FDEs are of signals' frames (`S') */
	bool is_known;	/* otherwise its FDEs are not */
};

struct eh_fde {
	uint64_t start, end; /* addresses */
	uint64_t lsda;	     /* of its language data; 0: none */
	bool has_bad_lsda;   /* it has data at an unknown address */
	uint32_t insns, insns_end, cie;
};

struct eh_parse {
	const uint8_t *data;
	size_t len;
	uint64_t vaddr;
	VEC(struct eh_cie) cies; /* in the order of `at` */
	VEC(struct eh_fde) fdes;
	bool has_unknown; /* an entry was left out */
	struct err *err;

	/* ehframe.c's */
	struct unw_table *out;
	uint64_t covered; /* rows are final below this file offset */
};

struct eh_cur eh_cur_at(const struct eh_parse *ps, size_t from, size_t to);
uint64_t eh_u(struct eh_cur *c, size_t size);
uint64_t eh_uleb(struct eh_cur *c);
int64_t eh_sleb(struct eh_cur *c);
void eh_skip(struct eh_cur *c, uint64_t n);
/* A number in the lower half of an encoding. */
uint64_t eh_format(struct eh_cur *c, uint8_t enc);
uint64_t eh_pointer(const struct eh_parse *ps, struct eh_cur *c, uint8_t enc);

/* Find all entries: 0, or -EINVAL with *ps->err. */
int eh_entries(struct eh_parse *ps);
void eh_parse_fini(struct eh_parse *ps);

#endif
