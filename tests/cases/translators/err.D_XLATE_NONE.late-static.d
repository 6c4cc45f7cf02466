/*
 * Without option late=dynamic a translator stands before what uses it.
 * @@args: -q
 */
struct out { int o; };
BEGIN { trace(xlate <struct out> (2).o); }
translator struct out < int x > { o = x + 1; };
