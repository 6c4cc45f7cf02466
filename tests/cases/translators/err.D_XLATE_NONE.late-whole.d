/*
 * A translator that is yet to come gives single members only.
 * @@args: -q -x late=dynamic
 */
struct out { int o; };
BEGIN { this->p = xlate <struct out *> (2); }
