/*
 * $target that stands for several processes is no number.
 * @@args: -c true -c true
 */
BEGIN { trace($target); }
