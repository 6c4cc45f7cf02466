/*
 * A subroutine that Linux cannot give is refused by name.
 * @@needs: nothing
 */
BEGIN { trace(msgsize(0)); }
