/*
 * Keywords that D reserves and does not have are refused by name; so is an end
 * that comes too early.
 * @@needs: nothing
 */
BEGIN { }
