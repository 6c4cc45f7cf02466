/*
 * Where the usage is shown --help is named, and so it is for -h, which other
 * programs take for help.
 * @@needs: nothing
 */
BEGIN { exit(0); }
