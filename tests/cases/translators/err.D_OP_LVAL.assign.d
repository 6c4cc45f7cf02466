/*
 * A translated member cannot be assigned.
 * @@needs: nothing
 */
struct out { int o; };
struct in { int i; };
translator struct out < struct in p > { o = p.i; };
struct in x;
BEGIN { xlate <struct out> (x).o = 1; }
