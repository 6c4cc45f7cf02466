/*
 * A listing, which compiles no library, has the probes and ids that compiling
 * them gives (-v), alone and all together.
 */
BEGIN { exit(0); }
