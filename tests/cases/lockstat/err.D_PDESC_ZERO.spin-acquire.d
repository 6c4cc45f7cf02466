/*
 * Probes themselves take spinlocks: so the taking of a free one cannot be
 * traced.
 */
lockstat:::spin-acquire { }
