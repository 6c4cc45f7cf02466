/*
 * An operand where no program is: what it was meant to be.
 * @@needs: nothing
 */
BEGIN { exit(0); }
