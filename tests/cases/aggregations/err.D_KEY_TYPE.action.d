/*
 * An action has no value to be a key.
 * @@needs: nothing
 */
BEGIN { @[trace(1)] = count(); }
