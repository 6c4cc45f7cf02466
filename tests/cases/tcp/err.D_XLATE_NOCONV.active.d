/*
 * Linux does not keep which side opened a connection.
 */
tcp:::send { trace(args[3]->tcps_active); }
