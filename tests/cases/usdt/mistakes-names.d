/*
 * Probes that do not exist, and the reasons.
 * @@kernel: a pattern of all processes needs -c or -p, and is refused by name
 */
