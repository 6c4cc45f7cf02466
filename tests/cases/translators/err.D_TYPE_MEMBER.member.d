/*
 * A translation has the members of its type.
 * @@needs: nothing
 */
struct out { int o; };
struct in { int i; };
translator struct out < struct in p > { o = p.i; };
struct in x;
BEGIN { trace(xlate <struct out> (x).nosuch); }
