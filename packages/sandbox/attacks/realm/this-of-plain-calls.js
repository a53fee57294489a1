/**
 * Finds the global object as `this` of functions called plainly, as callbacks, and by builtins.
 *
 * Holds: the body is strict, and the list of globals is short.
 *
 * @ends completed
 * @log undefined undefined undefined undefined undefined
 */
const plain = function () { return typeof this }
const found = [plain(), [1].map(plain)[0], Array.from([1], plain)[0], 'x'.replace(/x/, plain), JSON.parse('[1]', function () { return this === undefined })]
$.log(...found.slice(0, 4), String(found[4] === true ? 'ESCAPED' : undefined))
