/*
 * A false predicate skips its clause, and only that.
 * @@args: -q
 */
BEGIN /0/ { printf("a"); }
BEGIN /1/ { printf("b"); }
BEGIN /pid == 0/ { printf("c"); }
BEGIN /pid != 0 && cpu >= 0/ { printf("d\n"); exit(0); }
