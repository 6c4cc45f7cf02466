/*
 * A translated member cannot be incremented.
 * @@needs: nothing
 */
struct out { int o; };
struct in { int i; };
translator struct out < struct in p > { o = p.i; };
struct in x;
inline struct out *y = xlate <struct out *> (x);
BEGIN { y->o++; }
