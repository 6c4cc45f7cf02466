/*
 * A variable that Linux cannot give is refused by name.
 * @@needs: nothing
 */
BEGIN { trace(jailname); }
