/*
 * A script is compiled if all that it depends on exists.
 * @@args: -q
 */
#pragma D depends_on library errno.d
#pragma D depends_on module vmlinux
#pragma D depends_on provider syscall
BEGIN { printf("ok\n"); exit(0); }
