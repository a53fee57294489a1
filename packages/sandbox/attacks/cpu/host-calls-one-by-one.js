/**
 * Spends its time in many short entries.
 *
 * Holds: wall-clock time counts, from the first line on.
 *
 * @ends violation execution_time
 */
for (;;) { await $.Strategy.stop().catch(() => {}); for (let turns = 0; turns < 1e7; turns += 1); }
