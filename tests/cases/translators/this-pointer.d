/*
 * The address of a translation may be kept for the firing.
 * @@args: -q
 */
struct out { int o; };
struct in { int i; };
translator struct out < struct in p > { o = p.i + 1; };
struct in x;
BEGIN { x.i = 4; this->p = xlate <struct out *> (x); }
BEGIN { printf("%d\n", this->p->o); exit(0); }
