/*
 * Names of other systems: each of a probe lists the one that Linux has, and a
 * module of another kernel lists all probes of a stable provider.
 */
