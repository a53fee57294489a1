/**
 * Visits everything that code can reach, and prints one line of text for each root. The lines are the same in every clean
 * isolate. It runs inside isolates, so it must pass the text check.
 */
;(async function probe($) {
  const roots = {
    $,
    ...{
      Object,
      Array,
      String,
      Number,
      Boolean,
      Symbol,
      BigInt,
      Math,
      JSON,
      Date,
      RegExp,
      Promise,
      Iterator,
    },
    ...{ Map, Set, WeakMap, WeakSet, Error, AggregateError, SuppressedError, TypeError, RangeError },
    ...{ Int8Array, Uint8Array, Float16Array, Float64Array, BigInt64Array, parseInt, encodeURI, escape },
    generator: function* () {},
    async: async () => {},
    asyncGenerator: async function* () {},
    running: (function* () {})(),
    runningAsync: (async function* () {})(),
    wrapped: Iterator.from({ __proto__: null, next: null }),
    values: [].values(),
    entries: new Map().entries(),
    members: new Set().values(),
    letters: ''[Symbol.iterator](),
    matches: ''.matchAll(/x/g),
    helper: [].values().map(Number),
    buffer: new Uint8Array(1).buffer,
    template: ((strings) => strings)`t${1}`,
    promise: Promise.resolve(),
    error: new Error('x'),
    caught: await Promise.reject(new TypeError('y')).catch((error) => error),
    parameters: (function () {
      // biome-ignore lint/complexity/noArguments: the probe visits them.
      return arguments
    })(),
    symbol: Symbol.for('left'),
  }

  /** The path by which each object was first found. */
  const seen = new Map()
  let hash

  /** FNV-1a over UTF-16 units. */
  const add = (text) => {
    for (let index = 0; index < text.length; index += 1) {
      hash = Math.imul(hash ^ text.charCodeAt(index), 16777619)
    }
  }

  const walk = (value, path) => {
    if ((typeof value !== 'object' || value === null) && typeof value !== 'function') {
      return add(`${path} ${typeof value} ${String(value)};`)
    }
    const known = seen.get(value)
    if (known !== undefined) return add(`${path} = ${known};`)
    seen.set(value, path)
    add(`${path} ${typeof value} ${Object.isFrozen(value)} ${contentsOf(value)};`)
    walk(Object.getPrototypeOf(value), `${path}.^`)
    for (const key of [...Object.getOwnPropertyNames(value), ...Object.getOwnPropertySymbols(value)]) {
      const property = Object.getOwnPropertyDescriptor(value, key)
      const { writable, enumerable, configurable } = property
      add(`${String(key)} ${writable} ${enumerable} ${configurable}`)
      for (const part of ['value', 'get', 'set']) {
        if (part in property) walk(property[part], `${path}.${String(key)}`)
      }
    }
  }

  /** The internal content of an object, which freezing does not protect. */
  const contentsOf = (value) => {
    if (typeof value === 'function') return `${value}`
    for (const read of [Map.prototype.entries, Set.prototype.entries]) {
      try {
        return `${[...read.call(value)].flat().map((item) => typeof item)}`
      } catch {}
    }
    for (const read of [Date.prototype.getTime, BigInt.prototype.valueOf, RegExp.prototype.toString]) {
      try {
        return `${read.call(value)}`
      } catch {}
    }
    return ''
  }

  const lines = Object.keys(roots).map((name) => {
    hash = 2166136261
    walk(roots[name], name)
    return `${name} ${(hash >>> 0).toString(36)}`
  })

  const average = new $.Ta.SMA(2)
  for (const price of [1, 2, 4]) average.update(price)
  void /(l)eft/.exec('left')
  const strength = new $.Ta.RSI(3)
  for (const price of [1, 2, 4, 3, 5, 4]) strength.update(price)
  const behaviour = {
    stack: new Error('x').stack.split('\n').length,
    last: `${RegExp.$1} ${RegExp.input} ${RegExp.lastMatch}`,
    enumerable: (() => {
      const keys = []
      for (const key in {}) keys.push(key)
      for (const key in []) keys.push(key)
      return keys
    })(),
    results: [
      average.getResult(),
      strength.getResult(),
      [3, 1, 2].sort(),
      'abc'.replace(/b/, '[$&]'),
      `${{}}`,
    ],
    parsed: JSON.parse('{"__proto__":{"a":1}}').a,
    awaited: await (async () => [await 1, await { ['th' + 'en']: (resolve) => resolve(2) }])(),
    storage: await $.Storage.get(),
  }
  return `${seen.size} objects\n${lines.join('\n')}\n${JSON.stringify(behaviour)}`
})
