/*
 * Inlines may use inlines that were defined before them, with arguments in
 * arguments.
 * @@args: -q
 */
inline int three = 3;
inline int twice[int x] = x * 2;
inline int deep[int x] = twice[twice[x] + three];
BEGIN { x = 5; printf("%d %d\n", deep[x], twice[twice[twice[x]]]); exit(0); }
