/**
 * Doubles the waiting microtasks in each turn.
 *
 * Holds: the isolate's limit, or its time.
 *
 * @ends violation memory | violation execution_time
 * @kills
 */
const twice = () => { Promise.resolve().then(twice); Promise.resolve().then(twice) }
twice()
