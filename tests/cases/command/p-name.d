/*
 * -p takes a name: all processes of that name are traced, and told unless -q
 * is set.
 * @@needs: prog:calls
 */
BEGIN { exit(0); }
