/*
 * Comments do not nest.
 */
BEGIN { x = 1; /* one /* two */ y = 2; }
