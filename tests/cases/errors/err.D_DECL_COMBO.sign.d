/*
 * Signed and unsigned do not go together.
 * @@needs: nothing
 */
BEGIN { trace((signed unsigned)1); }
