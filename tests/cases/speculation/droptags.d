/*
 * The tags of drops of speculations.
 * @@args: -q -x specsize=1 -x droptags
 */
BEGIN { a = speculation(); b = speculation(); }
BEGIN { speculate(a); printf("1\n"); }
BEGIN { commit(a); }
BEGIN { exit(0); }
