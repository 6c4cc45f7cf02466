/*
 * A translation makes a struct or union.
 * @@needs: nothing
 */
struct out { int o; };
struct in { int i; };
translator int < struct in p > { o = p.i; };
BEGIN { }
