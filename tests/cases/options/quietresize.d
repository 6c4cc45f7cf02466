/*
 * quietresize keeps quiet about a buffer that was made smaller.
 * @@args: -q -x bufsize=200g -x quietresize
 */
BEGIN { printf("traced\n"); exit(0); }
