/*
 * -p takes several processes: $target is each of them, and dtrace ends with
 * the last.
 * @@needs: prog:calls
 */
BEGIN { exit(0); }
