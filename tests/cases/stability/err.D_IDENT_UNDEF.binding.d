/*
 * Option version hides names whose binding is younger.
 * @@args: -x version=1.6
 * @@needs: nothing
 */
inline int new = 7;
#pragma D binding "1.6.1" new
BEGIN { trace(new); }
