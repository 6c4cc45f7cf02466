/*
 * A translator defines a member once.
 * @@needs: nothing
 */
struct out { int o; };
struct in { int i; };
translator struct out < struct in p > { o = p.i; o = 2; };
BEGIN { }
