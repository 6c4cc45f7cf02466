/* SPDX-License-Identifier: BSD-2-Clause */
#include "sym/demangle.h"

char *
demangle_rust(const char *name)
{
	(void)name;
	return 0;
}
