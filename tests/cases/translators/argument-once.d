/*
 * A translation's operand is evaluated once.
 * @@args: -q
 */
struct out { int twice; };
translator struct out < int x > { twice = x + x; };
BEGIN { x = 3; printf("%d", xlate <struct out> (x++).twice); printf(" %d\n", x); exit(0); }
