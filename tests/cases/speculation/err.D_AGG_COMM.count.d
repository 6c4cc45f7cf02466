/*
 * No aggregation follows commit().
 * @@args: -w
 */
BEGIN { commit(1); @ = count(); }
