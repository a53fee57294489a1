/**
 * Makes a context safe for several runs: it removes every global that is not on the list and every way to compile
 * strings, then freezes everything that code can reach. So no run can leave anything for the next one.
 *
 * This happens in two parts, because finding all objects and freezing most of them takes ten times as long as the rest.
 * This script runs once, in the snapshot, and leaves `harden`, which finishes each context that is made from it. The
 * snapshot cannot hold the second part: while V8 loads a snapshot, it adds members to its constructors, prototypes and
 * namespaces, and it aborts if such an object is frozen.
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

  // Every error has these two as own members. V8 makes one pair for a whole realm.
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

  // The buffers of typed arrays stay, without the methods that make buffers which the memory limit does not count.
  const bufferKeys = [
    'resize',
    'transfer',
    'transferToFixedLength',
    'transferToImmutable',
    'sliceToImmutable',
  ]

  /** Called in the snapshot and again in each context, because V8 restores some of these members. */
  function removeMembers() {
    for (const prototype of functionPrototypes) fix(prototype, 'constructor', refuse)
    for (const key of bufferKeys) delete bufferPrototype[key]
    // The only way from an allowed object to Temporal, which is not allowed.
    delete datePrototype.toTemporalInstant
  }
  removeMembers()

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

  // If a prototype is frozen, `error.name = …` or `map.get = …` fails on objects that inherit from it (the "override
  // mistake"). So its members become accessors whose setters define an own property on such an object, as assignment
  // does in plain JavaScript. Compiled code is as fast as before; interpreted code needs some nanoseconds more for each
  // call. Three kinds of members stay as they are: symbols; members that primitives inherit, since primitives have no
  // own properties; and members that V8 watches for its fast paths for arrays, promises, regular expressions and
  // stacks, without which `slice` or `map` would take 20 times as long.
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
  // Code that takes its keys from data may assign `constructor` on objects with these prototypes.
  const plain = new Set([objectPrototype, ...errors.map((type) => type.prototype)])
  const repaired = new Set([...plain, ...errors, ...others.flatMap((type) => [type, type.prototype])])
  /** Functions that can now be reached only through a getter. */
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

  /** Does `target[key] = value` where `key` is a member of `object`. Throws V8's own messages if it is not allowed. */
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

  /** Objects to which V8 may add members, with the names of their present members. */
  const unfinished = []
  for (const object of reachable()) {
    if (typeof object === 'function' && object !== functionPrototype && !hasOwn(object, 'prototype'))
      freeze(object)
    else unfinished.push([object, namesOf(object)])
  }
  // The global object comes last, since the others are found through it.
  unfinished.reverse()
  // Empty lists keep the snapshot small.
  for (const list of [hidden, behind]) list.length = 0

  defineProperty(root, 'harden', { value: harden, configurable: true })

  /** Everything that code can reach. */
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
    removeMembers()
    for (const key of ownKeys(root)) {
      if (!isAllowed(key)) delete root[key]
    }
    for (let index = 0; index < unfinished.length; index += 1) {
      const object = unfinished[index][0]
      const known = unfinished[index][1]
      const names = ownKeys(object)
      if (names.length > known.length) freezeAdded(object, names, known)
      // All members of Object.prototype are accessors, so sealing it has the effect of freezing it. If V8 knew it as
      // frozen, storing `object[index]` would take four times as long.
      if (object === objectPrototype) seal(object)
      else freeze(object)
    }
  }

  /** Freezes the members that V8 has added to an object. */
  function freezeAdded(object, names, known) {
    let next = 0
    for (const name of names) {
      // Members keep their order, so a name that is not the next known one is new.
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

  /** One of them is a class: SuppressedError. */
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
