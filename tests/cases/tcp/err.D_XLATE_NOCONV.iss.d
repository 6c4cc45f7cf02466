/*
 * What Linux does not keep is declared and has no translation.
 */
tcp:::send { trace(args[3]->tcps_iss); }
