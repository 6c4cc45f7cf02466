/*
 * A struct may be used by pointer before it is declared.
 * @@args: -q
 */
struct later;
struct later *p;
struct later { int x; int y; };
BEGIN { printf("%d %d\n", sizeof (*p), sizeof (p)); exit(0); }
