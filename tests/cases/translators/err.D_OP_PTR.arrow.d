/*
 * A translation to a struct is no pointer.
 * @@needs: nothing
 */
struct out { int o; };
struct in { int i; };
translator struct out < struct in p > { o = p.i; };
struct in x;
BEGIN { trace(xlate <struct out> (x)->o); }
