/*
 * Programs that have no clause are refused once they are compiled: there is
 * nothing to wait for.
 */
