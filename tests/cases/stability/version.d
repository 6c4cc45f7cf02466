/*
 * Option version lets a script use what that version of D had.
 * @@args: -q -x version=1.1
 */
BEGIN { printf("%s\n", substr("version", 3)); exit(0); }
