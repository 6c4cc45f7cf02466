/*
 * A string that no object can hold is refused as too long, with the limit.
 * @@needs: nothing
 */
BEGIN { trace("a"); }
