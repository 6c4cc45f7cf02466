/*
 * END may commit; speculations that no clause commits are lost, without a word.
 * @@args: -q -x nspec=2
 */
BEGIN { a = speculation(); b = speculation(); }
BEGIN { speculate(a); printf("kept\n"); }
BEGIN { speculate(b); printf("lost\n"); }
BEGIN { exit(0); }
END { commit(a); }
