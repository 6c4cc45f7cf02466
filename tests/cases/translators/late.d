/*
 * Option late=static puts translations in place when the script is compiled.
 * @@args: -q -x late=static
 */
struct out { int o; };
translator struct out < int x > { o = x + 1; };
BEGIN { printf("%d\n", xlate <struct out> (2).o); exit(0); }
