/*
 * An action has no value.
 * @@needs: nothing
 */
BEGIN { x = 1 + exit(0); }
