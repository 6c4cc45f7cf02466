/*
 * Two translators between the same types are refused.
 * @@needs: nothing
 */
struct out { int o; };
struct in { int i; };
translator struct out < struct in p > { o = p.i; };
translator struct out < struct in q > { o = 2; };
BEGIN { }
