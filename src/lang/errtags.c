/* SPDX-License-Identifier: BSD-2-Clause */
#include "lang/lang.h"

/* Tags are compared by address and printed by name. */
#define ERRTAG(name) const char D_##name[] = "D_" #name;
#include "lang/errtags.def"
#undef ERRTAG
