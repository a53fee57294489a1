/**
 * Gives one object members without end.
 *
 * Holds: the isolate's limit.
 *
 * @ends violation memory | violation execution_time | failed RangeError
 * @kills
 */
const object = {}
for (let index = 0; ; index += 1) object[`member${index}`] = index
