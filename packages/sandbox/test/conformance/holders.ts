/** Everything that code can reach by name, and the prototypes that only functions, generators and iterators lead to. */
export const holders = [
  ...`Object Array String Number Boolean Symbol BigInt Math JSON Date RegExp Map Set WeakMap WeakSet Promise Iterator
    Error AggregateError EvalError RangeError ReferenceError SyntaxError SuppressedError TypeError URIError
    Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float16Array Float32Array
    Float64Array BigInt64Array BigUint64Array isNaN isFinite parseInt parseFloat
    encodeURI encodeURIComponent decodeURI decodeURIComponent escape unescape`.split(/\s+/),
  'Object.getPrototypeOf(Int8Array)',
  'Object.getPrototypeOf(() => {})',
  'Object.getPrototypeOf(async () => {})',
  'Object.getPrototypeOf(function* () {})',
  'Object.getPrototypeOf(async function* () {})',
  'Object.getPrototypeOf((function* () {}).prototype)',
  'Object.getPrototypeOf((async function* () {}).prototype)',
  'Object.getPrototypeOf([].values())',
  'Object.getPrototypeOf("".matchAll(/x/g))',
  'Object.getPrototypeOf([].values().map((x) => x))',
  'Object.getPrototypeOf(new Int8Array(1).buffer)',
]
