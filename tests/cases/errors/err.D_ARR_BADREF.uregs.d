/*
 * uregs[] needs an index.
 * @@needs: nothing
 */
BEGIN { trace(uregs); }
