/* SPDX-License-Identifier: BSD-2-Clause */
/* A library for `dlopens`: a function that makes a system call itself. */
#include <sys/syscall.h>

long fn_loaded(long a);

__attribute__((noipa)) long
fn_loaded(long a)
{
	long rc;

	__asm__ volatile("syscall"
			 : "=a"(rc)
			 : "a"(SYS_getpgrp)
			 : "rcx", "r11", "memory");
	return rc + a;
}

__attribute__((constructor)) static void
begin(void)
{
	fn_loaded(-1);
}
