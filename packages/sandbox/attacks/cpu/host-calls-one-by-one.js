/**
 * Spends its time in many short entries.
 *
 * Holds: the clock is the wall's, from the first line on.
 *
 * @ends violation execution_time
 */
for (;;) { await $.Strategy.stop().catch(() => {}); const end = Date.now() + 20; while (Date.now() < end); }
