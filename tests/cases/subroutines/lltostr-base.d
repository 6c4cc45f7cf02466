/*
 * lltostr refuses other bases: an illegal operation.
 * @@args: -q
 */
BEGIN { n = 37; printf("%s\n", lltostr(1, n)); }
BEGIN { n = 1; printf("%s\n", lltostr(1, n)); }
BEGIN { exit(0); }
