/*
 * Data and commit() do not go together.
 * @@args: -w
 */
BEGIN { trace(1); commit(1); }
