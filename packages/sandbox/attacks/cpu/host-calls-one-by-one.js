/**
 * Spends its time in many short entries.
 *
 * Holds: wall-clock time counts, from the first line on.
 *
 * @ends violation execution_time
 */
for (;;) { await $.Strategy.stop().catch(() => {}); const end = Date.now() + 20; while (Date.now() < end); }
