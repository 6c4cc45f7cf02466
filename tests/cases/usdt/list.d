/*
 * -l shows the probes of a process: module, function, name; with -v types and
 * stabilities of their definition.
 */
usdtapp$target:::request-done,
usdtapp$target:::sizes
