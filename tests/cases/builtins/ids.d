/*
 * epid counts enablings clause by clause, id is the probe's.
 * @@args: -q
 */
BEGIN { printf("%d %d\n", epid, id); }
BEGIN { printf("%d %d\n", epid, id); }
END { printf("%d %d\n", epid, id); }
BEGIN { exit(0); }
