/*
 * A clause may speculate and decide; commit() and discard() write no line.
 * @@args: -q
 */
BEGIN { a = speculation(); }
BEGIN { speculate(a); printf("kept\n"); commit(a); }
BEGIN { b = speculation(); }
BEGIN { speculate(b); printf("lost\n"); discard(b); exit_now = 1; }
BEGIN { c = speculation(); }
BEGIN { discard(c); printf("beside discard\n"); }
BEGIN { exit(0); }
