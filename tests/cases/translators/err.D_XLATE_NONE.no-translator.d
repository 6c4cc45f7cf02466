/*
 * A translation needs a translator between its types.
 * @@needs: nothing
 */
struct out { int o; };
struct in { int i; };
struct in x;
BEGIN { trace(xlate <struct out> (x).o); }
