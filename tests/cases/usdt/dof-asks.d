/*
 * A program of another system's dtrace -G asks whether a probe is enabled by an
 * instruction that says no.  It is told yes, each time, about the probe that is
 * traced and no other: by the kernel where that can change registers, elsewhere
 * by another instruction.
 * @@needs: prog:dofsites prog:dofsites_pie prog:dofsites_rel
 */
other$target:::asked
{
}
