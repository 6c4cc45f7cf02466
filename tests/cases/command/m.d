/*
 * -m names a module, and provider:module.
 */
BEGIN { exit(0); }
