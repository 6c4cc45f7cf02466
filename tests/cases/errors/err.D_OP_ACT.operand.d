/*
 * An action has no value.
 * @@needs: nothing
 */
BEGIN { trace(1 + trace(2)); }
