/*
 * Rates and sizes take their units.
 */
BEGIN { exit(0); }
