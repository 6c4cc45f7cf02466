/*
 * Of several processes, those that cannot be traced, or have no such probe, are
 * named.
 * @@needs: nothing
 */
BEGIN { exit(0); }
