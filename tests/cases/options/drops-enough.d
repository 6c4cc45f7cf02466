/*
 * A message of drops names a value of the option that would have been enough:
 * with it, the same script drops nothing.
 */
