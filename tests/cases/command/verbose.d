/*
 * -x verbose is -v.
 * @@needs: nothing
 */
BEGIN { exit(0); }
