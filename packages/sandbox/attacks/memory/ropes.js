/**
 * Builds texts as trees that are flattened all at once.
 *
 * Holds: the isolate's limit.
 *
 * @ends failed RangeError | violation memory | violation execution_time
 * @kills
 */
let rope = 'ab'
for (let index = 0; index < 27; index += 1) rope += rope
const kept = []
for (let index = 0; ; index += 1) kept.push(`${rope}${index}`.charCodeAt(5), /x$/.test(rope + index), (rope + index).split('b'))
