/**
 * Loops after a host call, in an entry that a reply made.
 *
 * Holds: each entry gets the remaining time.
 *
 * @ends violation execution_time
 */
await $.Strategy.stop()
for (;;);
