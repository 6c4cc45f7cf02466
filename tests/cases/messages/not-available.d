/*
 * Names of D that are not available are refused by name, each with its reason.
 * @@needs: nothing
 */
BEGIN { }
