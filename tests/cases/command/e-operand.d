/*
 * -e compiles programs that other options give.  An operand is not one.
 * @@needs: nothing
 */
BEGIN { exit(0); }
