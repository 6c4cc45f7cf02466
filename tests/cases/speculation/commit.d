/*
 * Speculative records appear when they are committed, in order and at their
 * place; discarded ones never do.
 * @@args: -q
 */
BEGIN { a = speculation(); }
BEGIN { speculate(a); printf("a: first\n"); }
BEGIN { printf("begun with %d\n", a); }
BEGIN { speculate(a); printf("a: second\n"); }
BEGIN { commit(a); }
BEGIN { printf("committed\n"); }
BEGIN { b = speculation(); }
BEGIN { speculate(b); printf("b\n"); }
BEGIN { discard(b); }
BEGIN { printf("discarded\n"); exit(0); }
