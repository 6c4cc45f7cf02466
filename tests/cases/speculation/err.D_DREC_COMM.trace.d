/*
 * Data does not follow commit().
 * @@args: -w
 */
BEGIN { commit(1); trace(1); }
