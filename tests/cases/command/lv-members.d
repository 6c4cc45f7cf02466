/*
 * -lv shows the members of the structures that are arguments, each structure
 * once, below all probes.
 */
BEGIN { exit(0); }
