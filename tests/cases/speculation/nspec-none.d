/*
 * With nspec=0 there is no speculation to be had: only the id 0 is no fault.
 * @@args: -q -x nspec=0
 */
BEGIN { printf("%d\n", speculation()); }
BEGIN { speculate(0); printf("lost\n"); }
BEGIN { exit(0); }
