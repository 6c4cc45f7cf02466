/*
 * With the function - the name is an address; the module is only where it must
 * be.
 * @@needs: prog:calls
 */
BEGIN { exit(0); }
