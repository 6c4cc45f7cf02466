/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions with the names that C++ and Rust would give them.  The mark has
 * their addresses: store::put(int), disk::read() in both of Rust's manglings,
 * and a function whose name only begins like a mangled one.
 */
#include "mark.h"

#define NAMED(f, name)                                                         \
	int f(void) __asm__(name);                                             \
	int f(void)                                                            \
	{                                                                      \
		return __LINE__;                                               \
	}

NAMED(cxx, "_ZN5store3putEi")
NAMED(legacy, "_ZN4disk4read17h00112233aabbccddE")
NAMED(v0, "_RNvC4disk4read")
NAMED(none, "_Z")

int
main(void)
{
	MARK(cxx, legacy, v0, none, 0);
	return 0;
}
