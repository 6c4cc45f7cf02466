/*
 * A file with clauses only is accepted by -G: build systems try that.
 * @@needs: nothing
 */
BEGIN {}
