/*
 * A library is called by its name, without its version, without .so, by its
 * path, by a pattern, or with its link map; the program a.out, by its name or
 * its path.
 * @@needs: prog:calls
 */
BEGIN { exit(0); }
