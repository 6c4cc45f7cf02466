/*
 * -Xs selects a preprocessor from before the standard, which puts arguments
 * into strings; -Xa, -Xc and -Xt select one of C99.
 */
#define SHOW(x) "x"
BEGIN { printf("%s\n", SHOW(word)); exit(0); }
