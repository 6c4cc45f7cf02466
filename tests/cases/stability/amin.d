/*
 * Option amin permits what is as stable as it says.
 * @@args: -q -x amin=Stable/Stable/Common
 */
BEGIN { printf("%d\n", 1); exit(0); }
