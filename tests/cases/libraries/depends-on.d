/*
 * A script is compiled if all that it depends on exists; providers may be made
 * by D libraries, and have another system's name.
 * @@args: -q
 */
#pragma D depends_on library errno.d
#pragma D depends_on module vmlinux
#pragma D depends_on provider syscall
#pragma D depends_on provider io
#pragma D depends_on provider plockstat
#pragma D depends_on provider fsinfo
BEGIN { printf("ok\n"); exit(0); }
