/*
 * An action has no value to be an argument.
 * @@needs: nothing
 */
BEGIN { strlen(trace(1)); }
