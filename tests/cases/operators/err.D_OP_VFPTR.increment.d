/*
 * A pointer to void does not say how far its next element is.
 * @@needs: nothing
 */
void *p;
BEGIN { p++; }
