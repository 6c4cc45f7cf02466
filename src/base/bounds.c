/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/bounds.h"

static _Thread_local bounds_flag *watched;

bounds_flag *
bounds_watch(bounds_flag *flag)
{
	bounds_flag *before = watched;

	watched = flag;
	return before;
}

bool
bounds_is_stopped(void)
{
	return watched != NULL && *watched != 0;
}
