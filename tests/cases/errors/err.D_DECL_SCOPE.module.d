/*
 * A declaration is not in a module.
 * @@needs: nothing
 */
int a`b;
BEGIN { exit(0); }
