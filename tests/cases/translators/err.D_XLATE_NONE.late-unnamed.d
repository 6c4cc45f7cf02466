/*
 * A translator that is yet to come gives members by their names.
 * @@args: -q -x late=dynamic
 */
struct out { int o; union { int a; long b; }; };
BEGIN { this->p = xlate <struct out *> (2); }
