/*
 * Of all processes a file must be named.
 */
pid*:::entry { }
