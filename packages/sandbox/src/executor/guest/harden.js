/**
 * Makes a context safe to be used again: takes away every global that is not on the list and every way to compile
 * strings, then freezes whatever code can reach. A frozen context has nowhere to leave anything for the next run.
 *
 * In two parts, because finding all objects and freezing most of them takes ten times as long as the rest. This
 * script runs in the snapshot, once, and leaves `harden`, which finishes each context made from it. The rest cannot
 * be done in the snapshot: V8 adds members to its constructors, prototypes and namespaces while it loads one, and
 * aborts when it finds such an object frozen.
 */
;(() => {
  const {
    defineProperty,
    getOwnPropertyDescriptor,
    getPrototypeOf,
    freeze,
    seal,
    hasOwn,
    isExtensible,
    isFrozen,
  } = Object
  const { ownKeys } = Reflect
  const root = globalThis
  const functionPrototype = Function.prototype
  const objectPrototype = Object.prototype
  const datePrototype = Date.prototype
  const bufferPrototype = ArrayBuffer.prototype

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

  // --- nothing compiles strings, and nothing that is not on the list ----------------------------------------

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

  // Buffers exist under the typed arrays, but not the kinds that memory accounting misses.
  const bufferKeys = [
    'resize',
    'transfer',
    'transferToFixedLength',
    'transferToImmutable',
    'sliceToImmutable',
  ]

  /** Done twice: in the snapshot, and again in each context, because V8 gives some of it back. */
  function takeAwayMembers() {
    for (const prototype of functionPrototypes) fix(prototype, 'constructor', refuse)
    for (const key of bufferKeys) delete bufferPrototype[key]
    // The one way from what is allowed to Temporal, which is not.
    delete datePrototype.toTemporalInstant
  }
  takeAwayMembers()

  fix(bufferPrototype, 'constructor', refuse)
  // The statics of the last match (`RegExp.$1`, `RegExp.input`, …) would carry text from run to run.
  for (const key of ownKeys(RegExp)) {
    const { get } = getOwnPropertyDescriptor(RegExp, key)
    if (get !== undefined && key !== Symbol.species) delete RegExp[key]
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

  // --- freezing must not break plain assignments -------------------------------------------------------------

  // A frozen object makes `error.name = …` or `map.get = …` fail on objects that merely inherit from it (the
  // "override mistake"). So its members become accessors whose setters give such an object a property of its own,
  // as assignment does in plain JavaScript. Compiled code calls through them as fast as before; interpreted code
  // pays some nanoseconds a call. Left as they are: symbols, what primitives inherit, which have no properties of
  // their own, and what V8's fast paths for arrays, promises, regular expressions and stacks watch: without those,
  // `slice` or `map` would take 20 times as long.
  const watched = new Set(
    'constructor then exec next push resolve isArray stackTraceLimit prepareStackTrace'.split(' '),
  )
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
  const others = [
    Array,
    Map,
    Set,
    WeakMap,
    WeakSet,
    Date,
    RegExp,
    Promise,
    getPrototypeOf(Int8Array),
    Iterator,
  ]
  // Whose `constructor` is assigned by code that takes its keys from data.
  const plain = new Set([objectPrototype, ...errors.map((type) => type.prototype)])
  const repaired = new Set([...plain, ...errors, ...others.flatMap((type) => [type, type.prototype])])
  /** Functions that only a getter leads to from now on. */
  const behind = []
  for (const object of repaired) {
    for (const key of ownKeys(object)) repair(object, key)
  }
  for (const key of ['call', 'apply', 'bind', 'toString']) repair(functionPrototype, key)

  function repair(object, key) {
    if (typeof key === 'symbol' || (watched.has(key) && !plain.has(object))) return
    const property = getOwnPropertyDescriptor(object, key)
    if (!hasOwn(property, 'value') || !property.writable || !property.configurable) return
    const { value } = property
    behind.push(value)
    const { get, set } = {
      get() {
        return value
      },
      set(replacement) {
        assign(this, object, key, replacement)
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

  /** What `target[key] = value` does where `key` is a member of `object`, with V8's words when it may not. */
  function assign(target, object, key, value) {
    if (target === object)
      throw new TypeError(`Cannot assign to read only property '${key}' of ${typeof object}`)
    if ((typeof target !== 'object' && typeof target !== 'function') || target === null)
      throw new TypeError(`Cannot create property '${key}' on ${typeof target} '${String(target)}'`)
    if (hasOwn(target, key)) {
      defineProperty(target, key, { __proto__: null, value })
      return
    }
    if (!isExtensible(target)) throw new TypeError(`Cannot add property ${key}, object is not extensible`)
    defineProperty(target, key, {
      __proto__: null,
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    })
  }

  // --- freeze all that can be reached -------------------------------------------------------------------------

  /** What V8 may add members to, with the names of those it has already and keeps. */
  const unfinished = []
  for (const object of reachable()) {
    if (typeof object === 'function' && object !== functionPrototype && !hasOwn(object, 'prototype'))
      freeze(object)
    else unfinished.push([object, namesOf(object)])
  }
  // The global object last: it is what the others are looked up from.
  unfinished.reverse()
  // What is not needed any more does not stay in the snapshot.
  for (const list of [hidden, behind]) list.length = 0

  defineProperty(root, 'harden', { value: harden, configurable: true })

  /** Everything that code can get hold of. */
  function reachable() {
    const seen = new Set()
    const queue = [root, bufferPrototype, refuse, getStack, setStack, ...hidden, ...behind].filter(isObject)
    for (let index = 0; index < queue.length; index += 1) {
      const object = queue[index]
      if (seen.has(object)) continue
      seen.add(object)
      const leads = [getPrototypeOf(object)]
      for (const name of namesOf(object)) {
        const { value, get, set } = getOwnPropertyDescriptor(object, name)
        leads.push(value, get, set)
      }
      queue.push(...leads.filter(isObject))
    }
    return seen
  }

  function namesOf(object) {
    return object === root ? ownKeys(root).filter(isAllowed) : ownKeys(object)
  }

  function isAllowed(key) {
    return allowed.has(key) || typeof key === 'symbol'
  }

  function isObject(value) {
    return (typeof value === 'object' && value !== null) || typeof value === 'function'
  }

  /** Finishes a context made from the snapshot. */
  function harden() {
    takeAwayMembers()
    for (const key of ownKeys(root)) {
      if (!isAllowed(key)) delete root[key]
    }
    for (let index = 0; index < unfinished.length; index += 1) {
      const object = unfinished[index][0]
      const known = unfinished[index][1]
      const names = ownKeys(object)
      if (names.length > known.length) freezeAdded(object, names, known)
      // All members of Object.prototype are accessors, so that sealed it is frozen too; but under a prototype that
      // V8 knows as frozen, storing `object[index]` takes four times as long.
      if (object === objectPrototype) seal(object)
      else freeze(object)
    }
  }

  /** Freezes the members that V8 has added to an object. */
  function freezeAdded(object, names, known) {
    let next = 0
    for (const name of names) {
      // Members keep their order: what is not the next known one is new.
      if (name === known[next]) next += 1
      else finishMember(object, name)
    }
  }

  function finishMember(object, name) {
    freezeFunctions(getOwnPropertyDescriptor(object, name))
    if (!repaired.has(object)) return
    repair(object, name)
    freezeFunctions(getOwnPropertyDescriptor(object, name))
  }

  /** Among them may be a class: SuppressedError is the one there is. */
  function freezeFunctions({ value, get, set }) {
    for (const member of [value, get, set]) {
      if (typeof member !== 'function' || isFrozen(member)) continue
      freeze(member)
      const { prototype } = member
      if (prototype === undefined) continue
      plain.add(prototype)
      repaired.add(prototype)
      for (const name of ownKeys(prototype)) finishMember(prototype, name)
      freeze(prototype)
    }
  }
})()
