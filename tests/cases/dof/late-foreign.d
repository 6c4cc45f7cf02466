/*
 * late=dynamic: xlate and xlarg of a DOF file from elsewhere find translators
 * here.  The provider says what type the argument has.
 */
BEGIN
{
}
