/*
 * Arithmetic on a pointer needs the size of what it points to.
 * @@needs: nothing
 */
struct later;
BEGIN { trace((struct later *)arg0 + 1); }
