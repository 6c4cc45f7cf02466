/*
 * A predicate needs a clause.
 */
BEGIN
/1/
