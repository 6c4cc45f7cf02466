/*
 * An action has no value to add up.
 * @@needs: nothing
 */
BEGIN { @ = sum(trace(1)); }
