/*
 * Probes themselves take spinlocks: who takes those that are free cannot be seen.
 */
lockstat:::spin-acquire { }
