/*
 * With nspec=0 there is no speculation to be had.
 * @@args: -q -x nspec=0
 */
BEGIN { printf("%d\n", speculation()); }
BEGIN { speculate(1); printf("lost\n"); }
BEGIN { exit(0); }
