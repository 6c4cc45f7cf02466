/*
 * -V tells the version of D in the form that other programs read, and the
 * product's; --version tells that alone.  What cannot be written is an error.
 * @@needs: nothing
 */
BEGIN { exit(0); }
