/*
 * speculate() does not follow commit().
 * @@args: -w
 */
BEGIN { commit(1); speculate(1); }
