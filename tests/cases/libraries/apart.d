/*
 * Types, translators to them and what uses these may be in libraries of their
 * own, whichever name a script begins with.
 */
