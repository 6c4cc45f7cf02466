/*
 * specsize bounds what a CPU adds to a speculation: 3 records of 16 + 8 bytes
 * fit into 79 bytes, what is more is a drop.
 * @@args: -q -x specsize=79
 */
BEGIN { a = speculation(); }
BEGIN { speculate(a); printf("1\n"); }
BEGIN { speculate(a); printf("2\n"); }
BEGIN { speculate(a); printf("3\n"); }
BEGIN { speculate(a); printf("4\n"); }
BEGIN { speculate(a); printf("5\n"); }
BEGIN { commit(a); }
BEGIN { exit(0); }
