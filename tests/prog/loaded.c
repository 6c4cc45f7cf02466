/* SPDX-License-Identifier: BSD-2-Clause */
/* The library for `loads`. */
long fn_loaded(long a);

__attribute__((noipa)) long
fn_loaded(long a)
{
	return a + 1;
}

__attribute__((constructor)) static void
begin(void)
{
	fn_loaded(-1);
}
