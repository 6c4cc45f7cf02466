/*
 * An action has no value that ?: could choose for an assignment.
 * @@needs: nothing
 */
BEGIN { x = pid ? trace(1) : 2; }
