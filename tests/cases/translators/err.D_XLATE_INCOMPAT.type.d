/*
 * A translator's expression must fit its member.
 * @@needs: nothing
 */
struct out { int o; };
struct in { int i; };
translator struct out < struct in p > { o = execname; };
BEGIN { }
