/*
 * commit() stands alone.
 * @@args: -w
 */
BEGIN { commit(1); commit(1); }
