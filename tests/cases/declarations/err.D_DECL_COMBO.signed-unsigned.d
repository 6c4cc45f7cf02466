/*
 * signed and unsigned exclude each other.
 * @@needs: nothing
 */
signed unsigned x;
BEGIN { }
