/*
 * With bufresize=manual, a trace buffer that cannot be had is an error.
 * @@needs: kernel
 * @@args: -q -x bufsize=200g -x bufresize=manual
 * @@exit: 1
 */
BEGIN { printf("traced\n"); exit(0); }
