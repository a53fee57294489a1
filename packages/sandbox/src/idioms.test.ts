import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logged, testSandbox } from './test-support.ts'

const { run } = await testSandbox()

// What strategies are written with; freezing and the allow list must not change what any of it does. Each snippet is
// the body of an async function; its result is compared with plain Node's.
const idioms = [
  `const e = new Error('m'); e.name = 'Custom'; return [e.name, String(e), Object.keys(e)]`,
  `const e = new Error('m'); e.message = 'other'; return [e.message, Object.keys(e)]`,
  `const e = new Error('m', { cause: 'c' }); e.code = 'E1'; return [e.cause, e.code, e instanceof Error]`,
  `class NetError extends Error { name = 'NetError' } try { throw new NetError('x') } catch (e) { return [e.name, e.message, e instanceof NetError, String(e)] }`,
  `class Named extends Error { get name() { return 'Got' } } return String(new Named('x'))`,
  `function Old(m) { this.message = m } Old.prototype = Object.create(Error.prototype); Old.prototype.name = 'Old'; return [String(new Old('m')), new Old('m') instanceof Error]`,
  `const o = {}; o.toString = () => 'mine'; return [String(o), Object.keys(o), \`\${o}\`]`,
  `const o = {}; o.valueOf = () => 42; return [o + 1, Object.keys(o)]`,
  `const o = { a: 1 }; o.hasOwnProperty = 5; return [o.hasOwnProperty, Object.hasOwn(o, 'a')]`,
  `const o = {}; o.isPrototypeOf = 1; o.propertyIsEnumerable = 2; o.toLocaleString = 3; return o`,
  `const a = []; a.toString = () => 'arr'; return [String(a), a.length]`,
  `function Candle(o) { this.o = o } Candle.prototype.toString = function () { return 'c' + this.o }; return String(new Candle(5))`,
  `class A { toString() { return 'A' } valueOf() { return 1 } } return [String(new A()), new A() + 1]`,
  `class A { constructed = 1; hasOwnProperty = 2 } return new A()`,
  `function f() {} f.toString = () => 'src'; f.call = 1; return [String(f), f.call]`,
  `const m = new Map(); m.toString = () => 'map'; return String(m)`,
  `const d = new Date(0); d.toString = () => 'date'; d.toJSON = () => 'json'; return [String(d), JSON.stringify(d)]`,
  `const o = Object.create({ inherited: 1 }); o.toString = () => 'x'; return [String(o), Object.keys(o)]`,
  `const o = Object.create(null); o.toString = 1; o.__proto__ = 2; return [Object.keys(o), o.toString]`,
  `const o = JSON.parse('{"toString": 1, "__proto__": {"x": 1}, "valueOf": 2}'); return [Object.keys(o), o.x, o.toString]`,
  `const o = { ...{ toString: 1 }, valueOf: 2 }; return o`,
  `const o = Object.assign({}, { toString: 'a', hasOwnProperty: 'b' }); return o`,
  `const counts = {}; for (const w of ['a', 'toString', 'a', 'valueOf']) counts[w] = (Object.hasOwn(counts, w) ? counts[w] : 0) + 1; return counts`,
  `const frozen = Object.freeze({ a: 1 }); try { frozen.a = 2 } catch (e) { return [e.name, frozen.a] }`,
  `const frozen = Object.freeze({}); try { frozen.toString = 2 } catch (e) { return e.name }`,
  `const o = {}; o.toString = 1; o.toString = 2; delete o.toString; return [typeof o.toString, Object.keys(o)]`,
  `class B { toString() { return 'B' } } class C extends B { set(v) { super.toString = v } } const c = new C(); c.set('own'); return [c.toString, Object.keys(c)]`,
  `const s = new Set([3, 1, 2]); return [[...s].sort(), s.has(1), s.size, [...new Set([1, 2]).union(new Set([3]))]]`,
  `const m = new Map([['a', 1]]); m.set('b', 2); return [[...m], Object.fromEntries(m), [...Map.groupBy([1, 2, 3], (x) => x % 2).keys()]]`,
  `return [[3, 1, 2].toSorted(), [1, 2, 3].at(-1), [1, [2, [3]]].flat(Infinity), [1, 2, 3].findLast((x) => x < 3), Array.from({ length: 3 }, (_, i) => i)]`,
  `const a = [5, 3, 9]; a.sort((x, y) => y - x); a.push(1); a.splice(1, 1); a.reverse(); return a`,
  `class Stack extends Array { last() { return this.at(-1) } } const s = Stack.from([1, 2]); s.push(3); return [s.last(), s instanceof Stack, s.map((x) => x) instanceof Stack, s.length]`,
  `class Memo extends Map { get(k) { return super.get(k) ?? 0 } } const m = new Memo([['a', 1]]); return [m.get('a'), m.get('b')]`,
  `const { a, ...rest } = { a: 1, b: 2, c: 3 }; const [x, , y = 7] = [1, 2]; return [a, rest, x, y]`,
  `function* fib() { let [a, b] = [0, 1]; for (;;) { yield a; [a, b] = [b, a + b] } } return [...fib().take(8).map((x) => x * 2)]`,
  `async function* ticks() { yield 1; yield 2 } const out = []; for await (const t of ticks()) out.push(t); return out`,
  `const g = (function* () { const got = yield 1; return got * 2 })(); g.next(); return g.next(21)`,
  `return [await Promise.all([1, Promise.resolve(2)]), await Promise.allSettled([Promise.reject(1), 2]), await Promise.any([Promise.reject(1), 3]), await Promise.race([4])]`,
  `const { promise, resolve } = Promise.withResolvers(); resolve(5); return await promise.finally(() => {})`,
  `class Lazy extends Promise {} return [await Lazy.resolve(1), Lazy.resolve(1) instanceof Lazy, await new Lazy((r) => r(2)).then((x) => x + 1)]`,
  `return await { then(resolve) { resolve('thenable') } }`,
  `return ['a-b-c'.split('-'), 'abc'.padStart(5, '*'), 'x1y22'.match(/\\d+/g), 'aXbX'.replaceAll('X', '-'), [...'a1b2'.matchAll(/[a-z](\\d)/g)].map((m) => m[1])]`,
  `const r = /(?<y>\\d{4})-(?<m>\\d\\d)/.exec('2026-11-20'); return [r.groups.y, r.index, 'ab'.replace(/(a)(b)/, '$2$1')]`,
  `const r = /a/y; r.lastIndex = 1; return [r.test('ba'), r.lastIndex, r.source, r.flags, RegExp('x', 'g').sticky]`,
  `return [JSON.stringify({ d: new Date(0), u: undefined, n: null }), JSON.stringify([1, { a: 2 }], null, 2), JSON.parse('[1]', (k, v) => (k === '0' ? v + 1 : v))]`,
  `const d = new Date(Date.UTC(2026, 0, 31)); d.setUTCMonth(1); return [d.toISOString(), d.getTime(), new Date(NaN).getTime(), typeof Date.now()]`,
  `return [(1.005).toFixed(2), (255).toString(16), parseInt('12px', 10), parseFloat('1.5e3'), Number('0x10'), isNaN(Number('x')), Number.EPSILON > 0, (1e21).toLocaleString === undefined]`,
  `return [Math.max(...[1, 5, 3]), Math.hypot(3, 4), Math.sign(-2), Math.round(-0.5), Math.sumPrecise?.([0.1, 0.2]) ?? 0.30000000000000004]`,
  `return [String(2n ** 64n), typeof BigInt(5), BigInt.asUintN(8, 257n).toString()]`,
  `const sym = Symbol('s'); const o = { [sym]: 1, [Symbol.toPrimitive]: () => 7 }; return [o[sym], +o, sym.description, Object.getOwnPropertySymbols(o).length]`,
  `class T { static #n = 0; #v = 1; static next() { return ++T.#n } get v() { return this.#v } set v(x) { this.#v = x } has(o) { return #v in o } } const t = new T(); t.v = 5; return [T.next(), T.next(), t.v, t.has(t), t.has({})]`,
  `class P { static create() { return new this() } } class Q extends P { static name2 = 'q' } Q.label = 'x'; return [P.create() instanceof P, Q.create() instanceof Q, Q.label, Q.name]`,
  `const o = { get x() { return 1 }, ['k' + 1]: 2, m() { return super.toString === Object.prototype.toString } }; return [o.x, o.k1, o.m()]`,
  `const f = function () { return this }; return [f() === undefined, f.call(5), f.bind(6)(), f.apply(7, []), f.length, f.name]`,
  `let i = 0; outer: for (const a of [1, 2, 3]) { for (const b of [1, 2]) { if (b === 2) continue outer; i += a * b } } return i`,
  `try { undefined.x } catch ({ name, message }) { return [name, message] } finally { void 0 }`,
  `try { const x = 1; x = 2 } catch (e) { return [e.name, e.message] }`,
  `try { missing } catch (e) { return [e.name, e.message, e instanceof ReferenceError] }`,
  `try { [].reduce((a) => a) } catch (e) { return [e.name, e.message] }`,
  `try { new Array(-1) } catch (e) { return [e.name, e.message] }`,
  `function deep() { return deep() } try { deep() } catch (e) { return [e.name, e.message] }`,
  `const f = new Float64Array([1, 2, 3]); f.set([9], 1); return [[...f], f.subarray(1).length, f.buffer.byteLength, Float64Array.from([1]).at(0), [...f.map((x) => x * 2)]]`,
  `const w = new WeakMap(); const k = {}; w.set(k, 1); return [w.get(k), w.has({}), new WeakSet([k]).has(k)]`,
  `const o = {}; Object.defineProperty(o, 'hidden', { value: 1 }); return [Object.keys(o), o.hidden, Object.entries({ a: 1 }), Object.is(NaN, NaN), Object.groupBy([1, 2], (x) => (x > 1 ? 'big' : 'small'))]`,
  `const o = { a: { b: null } }; return [o?.a?.b?.c, o.x ?? 'd', (o.y ||= 1), (o.a.b ??= 2), o.y &&= 3]`,
  `const label = (strings, ...values) => strings.raw.join('|') + values.join(','); return label\`a\${1}b\${2}c\``,
  `return [encodeURIComponent('a b&é'), decodeURIComponent('%C3%A9'), escape('é'), unescape('%E9')]`,
  `return [typeof structured, typeof this, typeof arguments]`,
  `var hoisted = typeof late; var late = 1; function fn() { return 'fn' } return [hoisted, fn()]`,
  `const sum = [1, 2, 3].reduce((a, b) => a + b, 0); const avg = sum / 3; return { sum, avg, ok: avg > 1 }`,
  `return [new Error('x', { cause: new TypeError('y') }).cause.message, new AggregateError([1], 'agg').errors]`,
  `return [[1, 2, 3].includes(2), [..."héllo𝒳"].length, 'ß'.toUpperCase(), 'I'.toLowerCase(), 'a'.localeCompare('b'), 'e\\u0301'.normalize('NFC').length]`,
  `return [1234567.891.toLocaleString('en-US'), new Date(0).toLocaleDateString('en-US', { timeZone: 'UTC' })]`,
]

const AsyncFunction = (async () => {}).constructor as new (...args: string[]) => () => Promise<unknown>

for (const code of idioms) {
  test(`behaves as in plain JavaScript: ${code}`, async () => {
    const expected = await new AsyncFunction('$', `"use strict";\n${code}`)()
    const outcome = await run(`$.log(JSON.stringify((await (async function ($) {\n${code}\n})($)) ?? null))`)
    assert.deepEqual(logged(outcome), JSON.parse(JSON.stringify(expected ?? null)))
  })
}

test('changing a shared prototype fails loudly', async () => {
  for (const code of [
    'Array.prototype.last = function () {}',
    'String.prototype.trim = () => 1',
    'Object.prototype.toString = () => 1',
    'Error.prototype.name = "x"',
    'delete Array.prototype.map',
    'Math.PI = 3',
    'undefined = 1',
    'Array = 1',
  ]) {
    const outcome = await run(code)
    assert.equal(outcome.status, 'failed', code)
    assert.equal(outcome.error!.name, 'TypeError')
  }
})
