/**
 * Recurses in `finally`, doubling the work at each return.
 *
 * Holds: the timeout interrupts it.
 *
 * @ends violation execution_time
 */
const dive = () => { try { dive() } finally { dive() } }
dive()
