/*
 * An action has no value to add to a number.
 * @@needs: nothing
 */
BEGIN { x = 1 + exit(0); }
