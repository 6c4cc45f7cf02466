/*
 * A trace buffer that cannot be had is made smaller, and that is reported.
 * @@needs: kernel
 * @@args: -q -x bufsize=200g
 */
BEGIN { printf("traced\n"); exit(0); }
