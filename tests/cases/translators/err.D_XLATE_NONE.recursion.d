/*
 * A translator cannot use itself.
 * @@needs: nothing
 */
struct out { int o; };
struct in { int i; };
translator struct out < struct in p > { o = xlate <struct out> (p).o; };
BEGIN { }
