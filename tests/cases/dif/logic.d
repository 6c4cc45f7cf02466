/*
 * && and ?: branch forward only.
 */
BEGIN { trace(pid && tid); trace(pid ? tid : uid); }
