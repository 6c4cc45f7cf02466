/*
 * nspec is the number of speculations at a time.
 * @@args: -q -x nspec=3
 */
BEGIN { a = speculation(); b = speculation(); c = speculation(); }
BEGIN { speculate(a); printf("a\n"); }
BEGIN { speculate(b); printf("b\n"); }
BEGIN { speculate(c); printf("c\n"); }
BEGIN { commit(c); }
BEGIN { discard(b); }
BEGIN { commit(a); }
BEGIN { printf("%d %d %d\n", a, b, c); exit(0); }
