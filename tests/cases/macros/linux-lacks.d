/*
 * A macro variable that Linux cannot give is refused by name, with the reason.
 * @@needs: nothing
 */
BEGIN { trace($projid); trace($$taskid); }
