/*
 * A name that came with a version of D is not there in the version before it
 * (doc/reference/language.md sections 5 and 6).
 * @@needs: nothing
 */
BEGIN { }
