/*
 * -lv shows stability attributes and argument types.
 */
BEGIN { exit(0); }
