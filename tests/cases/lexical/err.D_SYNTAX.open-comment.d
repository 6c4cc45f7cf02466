/*
 * A comment has an end.
 */
BEGIN { x = 1; }
/* never closed
