/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DIF_DIF_IMPL_H
#define DIF_DIF_IMPL_H

/*
 * What the disassembler and the assembler share.
 */
#include "dif/dif.h"

#define DIF_NCKINDS 14
extern const char *const dif_ckind_names[DIF_NCKINDS];

#endif
