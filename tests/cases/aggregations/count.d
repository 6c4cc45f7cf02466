/*
 * count() counts.
 * @@args: -q
 */
BEGIN { @ = count(); }
BEGIN { @ = count(); exit(0); }
