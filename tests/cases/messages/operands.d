/*
 * An operand where no program is: the error tells what it was meant to be.
 * @@needs: nothing
 */
BEGIN { exit(0); }
