import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { modelStorageByteLimit, type StoredEntry, StoredValue } from './stored-value.ts'

test('an entry goes to the end of a list or a text, and begins a list where nothing is', () => {
  const value = new StoredValue('{"log":"a","list":[1],"none":null,"number":1}')
  assert.equal(value.changed, undefined)
  assert.equal(value.append('log', 'b'), undefined)
  assert.equal(value.append('list', { two: 2 }), undefined)
  assert.equal(value.append('none', 'x'), undefined)
  assert.equal(value.append('new', 'y'), undefined)
  assert.match(value.append('number', 1)!.problem, /neither a list nor a text under "number"/)
  assert.match(value.append('log', 1)!.problem, /^Only a text/)
  assert.deepEqual(JSON.parse(value.changed!), {
    ...{ log: 'ab', list: [1, { two: 2 }], none: ['x'], number: 1, new: ['y'] },
  })
  const first = new StoredValue(null)
  assert.equal(first.append('a', true), undefined)
  assert.equal(first.changed, '{"a":[true]}')
  assert.match(new StoredValue('[1]').append('0', 1)!.problem, /not an object/)
  assert.match(new StoredValue('7').append('0', 1)!.problem, /not an object/)
})

test('keep drops the oldest entries', () => {
  const value = new StoredValue('{"list":[1,2,3],"text":"abc"}')
  value.append('list', 4, 2)
  value.append('text', 'd', 2)
  assert.equal(value.changed, '{"list":[3,4],"text":"cd"}')
  value.append('text', '\u{1f600}', 2)
  value.append('text', '!', 2)
  assert.equal(value.read({ key: 'text' }), '"!"', 'no half of a character stays')
})

test('a field is read by its name, and the last of its entries by their number', () => {
  const value = new StoredValue('{"list":[1,2,3],"text":"abc","number":12}')
  const read = (key?: string, last?: number) =>
    value.read({ ...(key === undefined ? {} : { key }), ...(last === undefined ? {} : { last }) })
  assert.deepEqual(
    [read('list', 2), read('text', 1), read('number', 1), read('list', 9), read('missing'), read('toString')],
    ['[2,3]', '"c"', '12', '[1,2,3]', 'null', 'null'],
  )
  assert.equal(read(), '{"list":[1,2,3],"text":"abc","number":12}')
  assert.equal(new StoredValue(null).read({}), 'null')
})

test('a field may have any name', () => {
  const value = new StoredValue('{"__proto__":[1]}')
  assert.equal(value.append('__proto__', 2), undefined)
  assert.equal(value.append('constructor', 'x'), undefined)
  assert.equal(value.changed, '{"__proto__":[1,2],"constructor":["x"]}')
  assert.equal(({} as Record<string, unknown>).x, undefined)
})

/** The same by the shortest way, which costs as much as the whole value. `undefined`: the field takes no such entry. */
function appended(json: string, key: string, entry: unknown, keep = Number.POSITIVE_INFINITY) {
  const fields = new Map(Object.entries(JSON.parse(json) ?? {}))
  const value = fields.get(key) ?? undefined
  if (value === undefined) fields.set(key, [entry])
  else if (Array.isArray(value)) {
    value.push(entry)
    fields.set(key, keep === Number.POSITIVE_INFINITY ? value : value.slice(-keep))
  } else if (typeof value === 'string' && typeof entry === 'string') {
    const whole = value + entry
    const cut = whole.length <= keep ? whole : whole.slice(-keep).replace(/^[\udc00-\udfff]/, '')
    fields.set(key, cut)
  } else return undefined
  return JSON.stringify(Object.fromEntries(fields))
}

test('the limit counts exactly the bytes of the JSON, and what would exceed it changes nothing', () => {
  const entry = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.integer(),
    fc.boolean(),
    fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }),
  )
  const step = fc.record({
    key: fc.constantFrom('a', 'b', 'ü"\\', '__proto__'),
    entry,
    keep: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
  })
  const start = fc.option(fc.dictionary(fc.constantFrom('a', 'b'), fc.jsonValue(), { maxKeys: 2 }))
  const room = fc.integer({ min: 0, max: 200 })
  fc.assert(
    fc.property(start, fc.array(step, { maxLength: 20 }), room, (fields, steps, room) => {
      const filled = fields === null ? null : { ...fields, filler: '' }
      const bytes = filled === null ? 0 : Buffer.byteLength(JSON.stringify(filled))
      if (filled !== null) filled.filler = 'x'.repeat(modelStorageByteLimit - room - bytes)
      const value = new StoredValue(filled && JSON.stringify(filled))
      let before = value.read({})
      for (const { key, entry, keep } of steps) {
        const refused = value.append(key, entry as StoredEntry, keep)
        const after = value.read({})
        const wanted = appended(before, key, entry, keep)
        if (wanted === undefined) assert.match(refused!.problem, /neither a list|Only a text/)
        else if (Buffer.byteLength(wanted) <= modelStorageByteLimit) assert.equal(after, wanted)
        else assert.ok(refused!.problem.includes(`it would have ${Buffer.byteLength(wanted)}.`))
        if (refused !== undefined) assert.equal(after, before)
        before = after
      }
    }),
    { numRuns: 12 },
  )
})

function cpuMsOf(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

test('forty appends to a value of a megabyte take no time to speak of', () => {
  const list = Array.from({ length: 9_000 }, (_, n) => ({ n, note: 'x'.repeat(80) }))
  const text = JSON.stringify({ list })
  assert.ok(text.length > 900_000)
  const value = new StoredValue(text)
  value.append('list', { n: -1 })
  const appendsMs = cpuMsOf(() => {
    for (let n = 0; n < 40; n++) value.append('list', { n, note: 'new' }, 9_000)
  })
  const readsMs = cpuMsOf(() => {
    for (let n = 0; n < 40; n++) JSON.stringify(JSON.parse(text))
  })
  assert.ok(appendsMs < readsMs / 4, `${appendsMs} ms, and as many readings of it all take ${readsMs} ms`)
  assert.equal(JSON.parse(value.changed!).list.length, 9_000)
})
