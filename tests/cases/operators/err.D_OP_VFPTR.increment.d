/*
 * A pointer to void cannot be incremented.
 * @@needs: nothing
 */
void *p;
BEGIN { p++; }
