/*
 * Two types do not go together.
 * @@needs: nothing
 */
int char x;
BEGIN { exit(0); }
