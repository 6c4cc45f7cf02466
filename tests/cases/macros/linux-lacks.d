/*
 * What Linux has not is refused by name, with the reason.
 * @@needs: nothing
 */
BEGIN { trace($projid); trace($$taskid); }
