/*
 * Only the expression of the member that is used is evaluated.
 * @@args: -q
 */
struct out { int good; int bad; };
translator struct out < int64_t x > { good = x + 1; bad = *(int *)8; };
BEGIN { printf("%d\n", xlate <struct out> (arg0 + 6).good); exit(0); }
ERROR { exit(1); }
