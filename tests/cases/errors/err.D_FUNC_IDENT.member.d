/*
 * Only names are called.
 * @@needs: nothing
 */
BEGIN { a.b(1); }
