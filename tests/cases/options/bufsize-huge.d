/*
 * A buffer larger than can be had is made smaller with bufresize=auto.
 */
BEGIN { printf("traced\n"); exit(0); }
