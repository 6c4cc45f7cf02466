/*
 * -P names a provider.
 */
BEGIN { exit(0); }
