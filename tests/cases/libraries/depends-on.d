/*
 * A script that depends on what is there is compiled.
 * @@args: -q
 */
#pragma D depends_on library errno.d
#pragma D depends_on module vmlinux
#pragma D depends_on provider syscall
BEGIN { printf("ok\n"); exit(0); }
