/*
 * $$target is the text of one process.
 * @@args: -c true -c true
 */
BEGIN { trace($$target); }
