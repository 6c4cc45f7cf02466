/*
 * A clause that records nothing prints nothing.
 */
BEGIN { x = 1; self->y = 2; }
BEGIN { exit(0); }
END { x = 2; }
