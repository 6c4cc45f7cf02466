/*
 * A module that is not loaded.
 */
BEGIN { trace(&nosuchmodule`symbol); }
