/**
 * Makes a context safe to be used again: takes away every global that is not on the list and every way to compile
 * strings, then freezes whatever code can reach. A frozen context has nowhere to leave anything for the next run.
 *
 * Evaluated after the context was made, never in the snapshot: V8 adds to its intrinsics while it loads one, and
 * aborts when it finds them frozen.
 *
 * @param {object[]} shared objects of the runtime that are the same for each run
 */
;(function harden(shared) {
  const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, freeze, hasOwn } = Object
  const { ownKeys } = Reflect
  const root = globalThis
  const functionPrototype = Function.prototype

  const allowed = new Set(
    `Object Array String Number Boolean Symbol BigInt Math JSON Date RegExp Map Set WeakMap WeakSet Promise Iterator
    Error AggregateError EvalError RangeError ReferenceError SyntaxError SuppressedError TypeError URIError
    Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float16Array Float32Array
    Float64Array BigInt64Array BigUint64Array
    NaN Infinity undefined isNaN isFinite parseInt parseFloat
    encodeURI encodeURIComponent decodeURI decodeURIComponent escape unescape`.split(/\s+/),
  )

  // Every error has them as its own: V8 makes one pair for a whole realm.
  const { get: getStack, set: setStack } = getOwnPropertyDescriptor(new Error(), 'stack')

  // Intrinsics that no global leads to.
  const hidden = [
    function* () {},
    async () => {},
    async function* () {},
    [][Symbol.iterator](),
    ''[Symbol.iterator](),
    new Map()[Symbol.iterator](),
    new Set()[Symbol.iterator](),
    ''.matchAll(/x/g),
    [].values().map((x) => x),
    Iterator.from({ next() {} }),
    (async function* () {})(),
    (function* () {})(),
  ]

  // --- nothing compiles strings -----------------------------------------------------------------------------

  const functionPrototypes = [
    functionPrototype,
    getPrototypeOf(function* () {}),
    getPrototypeOf(async () => {}),
    getPrototypeOf(async function* () {}),
  ]
  const { refuse } = {
    refuse() {
      throw new TypeError('code cannot be made from strings')
    },
  }
  for (const prototype of functionPrototypes) fix(prototype, 'constructor', refuse)

  // --- only what is on the list -----------------------------------------------------------------------------

  // Buffers exist under the typed arrays, but not the kinds that memory accounting misses.
  const bufferPrototype = ArrayBuffer.prototype
  for (const key of [
    'resize',
    'transfer',
    'transferToFixedLength',
    'transferToImmutable',
    'sliceToImmutable',
  ]) {
    delete bufferPrototype[key]
  }
  fix(bufferPrototype, 'constructor', refuse)
  // The one way from what is allowed to Temporal, which is not.
  delete Date.prototype.toTemporalInstant

  for (const key of ownKeys(root)) {
    if (!allowed.has(key) && !(typeof key === 'symbol')) delete root[key]
  }

  // The statics of the last match (`RegExp.$1`, `RegExp.input`, …) would carry text from run to run.
  for (const key of ownKeys(RegExp)) {
    const { get } = getOwnPropertyDescriptor(RegExp, key)
    if (get !== undefined && key !== Symbol.species) delete RegExp[key]
  }

  // --- freezing must not break plain assignments -------------------------------------------------------------

  // A frozen prototype makes `error.name = …` or `object.toString = …` fail on objects that merely inherit from it
  // (the "override mistake"). Where code does that, the property becomes an accessor whose setter gives the object
  // its own property, as assignment does in plain JavaScript. Not on prototypes whose methods are called in every
  // loop: a getter there costs a call each time, and V8's fast paths for arrays and promises watch them.
  const errors = [
    Error,
    AggregateError,
    EvalError,
    RangeError,
    ReferenceError,
    SyntaxError,
    TypeError,
    URIError,
  ]
  if (typeof SuppressedError === 'function') errors.push(SuppressedError)
  for (const object of [Object.prototype, ...errors.map((type) => type.prototype), Iterator.prototype]) {
    for (const key of ownKeys(object)) repair(object, key)
  }
  for (const key of ['call', 'apply', 'bind', 'toString']) repair(functionPrototype, key)
  for (const type of [
    Array,
    Map,
    Set,
    WeakMap,
    WeakSet,
    Date,
    RegExp,
    Number,
    String,
    Boolean,
    Symbol,
    BigInt,
  ]) {
    for (const key of ['toString', 'toLocaleString', 'valueOf', 'toJSON']) repair(type.prototype, key)
  }

  function repair(object, key) {
    const property = getOwnPropertyDescriptor(object, key)
    if (property === undefined || !hasOwn(property, 'value') || !property.writable || !property.configurable)
      return
    const { value } = property
    const { get, set } = {
      get() {
        return value
      },
      set(replacement) {
        if (this === object)
          throw new TypeError(`Cannot assign to read only property '${String(key)}' of object`)
        defineProperty(
          this,
          key,
          hasOwn(this, key)
            ? { __proto__: null, value: replacement }
            : { __proto__: null, value: replacement, writable: true, enumerable: true, configurable: true },
        )
      },
    }
    defineProperty(object, key, {
      __proto__: null,
      get,
      set,
      enumerable: property.enumerable,
      configurable: false,
    })
  }

  function fix(object, key, value) {
    defineProperty(object, key, {
      __proto__: null,
      value,
      writable: false,
      enumerable: false,
      configurable: false,
    })
  }

  // --- freeze all that can be reached -------------------------------------------------------------------------

  const seen = new Set()
  const queue = [root, bufferPrototype, getStack, setStack, ...hidden, ...shared].filter(Boolean)
  for (let index = 0; index < queue.length; index += 1) {
    const object = queue[index]
    if (seen.has(object)) continue
    seen.add(object)
    visit(getPrototypeOf(object))
    const names = ownKeys(object)
    // Nearly all are builtin functions, with nothing but a length and a name.
    if (typeof object === 'function' && names.length === 2 && names[0] === 'length' && names[1] === 'name')
      continue
    for (const name of names) {
      const property = getOwnPropertyDescriptor(object, name)
      visit(property.value)
      visit(property.get)
      visit(property.set)
    }
  }
  // The global object last: it is what the others are looked up from.
  for (const object of [...seen].reverse()) freeze(object)

  function visit(value) {
    if ((typeof value === 'object' && value !== null) || typeof value === 'function') {
      if (!seen.has(value)) queue.push(value)
    }
  }
})
