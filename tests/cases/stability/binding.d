/*
 * #pragma D binding says which version brought a name; that one and younger
 * ones have it.
 * @@args: -q -x version=1.6.1
 */
inline int new = 7;
#pragma D binding "1.6.1" new
BEGIN { printf("%d\n", new); exit(0); }
