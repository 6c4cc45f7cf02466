/*
 * A D script that is the first operand runs as with -s; the operands after it
 * are its arguments.
 * @@needs: nothing
 */
BEGIN { exit(0); }
