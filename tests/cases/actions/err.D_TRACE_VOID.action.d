/*
 * An action has no value to trace.
 * @@needs: nothing
 */
BEGIN { trace(trace(1)); }
