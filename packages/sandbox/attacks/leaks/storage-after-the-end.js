/**
 * Stores a value after the body has returned.
 *
 * Holds: messages after the end are dropped; the end told what to store.
 *
 * @ends completed
 */
const later = async () => { for (let turns = 0; turns < 100; turns += 1) await null; await $.Storage.set('ESCAPED') }
later()
if ((await $.Storage.get()) !== null) $.log('ESCAPED')
