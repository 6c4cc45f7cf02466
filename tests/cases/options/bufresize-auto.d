/*
 * A trace buffer that cannot be had is made smaller, and that is told.
 * @@needs: kernel
 * @@args: -q -x bufsize=200g
 */
BEGIN { printf("traced\n"); exit(0); }
