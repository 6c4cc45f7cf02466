/*
 * The provider that was meant is suggested.
 * @@needs: nothing
 */
sycall::read:entry { }
