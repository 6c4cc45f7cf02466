/*
 * -lv shows the stability of a probe and of its arguments, and their types; of
 * a probe without arguments, that there are none.
 */
BEGIN { exit(0); }
