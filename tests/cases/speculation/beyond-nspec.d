/*
 * An id beyond nspec is an illegal operation, for speculate(), commit() and
 * discard(); 0 and an id that is not in use are none.
 * @@args: -q
 */
int x;
BEGIN { commit(77); x = 1; }
BEGIN { discard(2); printf("lost\n"); }
BEGIN { speculate(-1); printf("lost\n"); }
BEGIN { commit(0); }
BEGIN { discard(0); }
BEGIN { commit(1); }
BEGIN { discard(1); printf("fine %d\n", x); }
ERROR { printf("fault %d at %d in action %d\n", arg4, arg5, arg2); }
BEGIN { exit(0); }
