/*
 * A type that nobody declared.
 * @@needs: nothing
 */
struct nosuch *p;
nosuch_t g;
BEGIN { exit(0); }
