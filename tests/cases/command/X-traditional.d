/*
 * -Xs is a preprocessor of before the standard, which puts arguments into
 * strings; -Xa, -Xc and -Xt are ones of C99.
 */
#define SHOW(x) "x"
BEGIN { printf("%s\n", SHOW(word)); exit(0); }
