/*
 * The address of a translation cannot outlive the firing, whatever it is
 * called.
 * @@needs: nothing
 */
struct out { int o; };
struct in { int i; };
translator struct out < struct in p > { o = p.i; };
struct in x;
inline struct out *y = xlate <struct out *> (x);
BEGIN { kept = y; }
