/*
 * Each cppargs is an argument of the preprocessor.
 * @@args: -q -C -x cppargs=-DONE=1 -x cppargs=-DTWO=ONE+1
 */
BEGIN { printf("%d\n", TWO); exit(0); }
