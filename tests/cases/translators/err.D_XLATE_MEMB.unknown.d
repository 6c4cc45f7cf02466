/*
 * A translator defines members of its type.
 * @@needs: nothing
 */
struct out { int o; };
struct in { int i; };
translator struct out < struct in p > { nosuch = p.i; };
BEGIN { }
