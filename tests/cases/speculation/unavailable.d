/*
 * speculation() gives 0 when all nspec (1) are in use, and that is reported;
 * one is free again as soon as it is committed or discarded.
 * @@args: -q
 */
BEGIN { printf("%d", speculation()); printf(" %d", speculation()); }
BEGIN { commit(1); }
BEGIN { printf(" %d", speculation()); }
BEGIN { discard(1); }
BEGIN { printf(" %d\n", speculation()); exit(0); }
