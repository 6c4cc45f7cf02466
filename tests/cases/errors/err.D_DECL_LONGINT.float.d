/*
 * There is no long float.
 * @@needs: nothing
 */
long float x;
BEGIN { exit(0); }
