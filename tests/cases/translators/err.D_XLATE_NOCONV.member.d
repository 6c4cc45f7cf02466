/*
 * A member without an expression has no translation.
 * @@needs: nothing
 */
struct out { int o; int q; };
struct in { int i; };
translator struct out < struct in p > { o = p.i; };
struct in x;
BEGIN { trace(xlate <struct out> (x).q); }
