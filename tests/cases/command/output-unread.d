/*
 * A reader who has seen enough is no mistake; a full disk is told, once.
 */
BEGIN { exit(0); }
