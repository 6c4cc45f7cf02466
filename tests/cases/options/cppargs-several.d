/*
 * Words of one cppargs are arguments.
 */
BEGIN { printf("%d\n", TWO); exit(0); }
