/*
 * Control lines that D does not know are refused.
 */
#frobnicate
BEGIN { exit(0); }
