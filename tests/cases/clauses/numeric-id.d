/*
 * A probe may be named by its id.
 * @@args: -q
 */
1 { printf("%s\n", probename); }
2 { printf("%s\n", probename); }
1 { exit(0); }
