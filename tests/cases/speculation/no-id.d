/*
 * With no such speculation, speculate() ends the clause and its data are lost;
 * commit() and discard() do nothing.
 * @@args: -q
 */
BEGIN { speculate(0); printf("lost\n"); x = 1; }
BEGIN { speculate(1); printf("lost\n"); x = 1; }
BEGIN { commit(0); y = 1; }
BEGIN { discard(1); y++; }
BEGIN { printf("x %d y %d\n", x, y); exit(0); }
