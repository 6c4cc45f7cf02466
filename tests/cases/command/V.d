/*
 * -V tells the version of D.
 * @@needs: nothing
 */
BEGIN { exit(0); }
