/*
 * The size of a translated member is that of its type.
 * @@args: -q
 */
struct out { int o; };
struct in { int i; };
translator struct out < struct in p > { o = p.i + 1; };
struct in x;
inline struct out *y = xlate <struct out *> (x);
BEGIN { printf("%d %d\n", sizeof (y->o), sizeof (xlate <struct out> (x))); exit(0); }
