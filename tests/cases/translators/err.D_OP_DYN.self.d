/*
 * The address of a translation cannot outlive the firing.
 * @@needs: nothing
 */
struct out { int o; };
struct in { int i; };
translator struct out < struct in p > { o = p.i; };
struct in x;
BEGIN { self->p = xlate <struct out *> (x); }
