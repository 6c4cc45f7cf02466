/*
 * Option grabanon is -a, however it is set.
 * @@needs: nothing
 */
BEGIN { exit(0); }
