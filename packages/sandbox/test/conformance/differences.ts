/**
 * Deliberate differences between the sandbox and plain JavaScript. Each snippet is an example of a kind of code. `plain`
 * and `sandbox` are its outcomes as `outcome-of.js` shows them.
 */
export type Difference = { why: string; snippet: string; plain: string; sandbox: string }

const shared =
  'what runs share is frozen, so that none leaves anything for the next: changing it fails loudly'
const fast =
  'V8 watches this member to keep loops fast, so it stays a constant, and assigning it on an object fails'
const primitive = 'the prototypes of primitives stay unchanged for speed; only their wrapper objects differ'
const words =
  'V8 words its message for objects whose `toString` is a plain property; the kind of error is the same'
const accessor = 'inherited members are accessors, so that an object can assign its own'
const repeatable =
  'a run can be repeated exactly: its clock stands still between the answers of the host, and its random numbers have a seed'
const noCompiling = 'no function compiles strings'
const absent = 'not a part of the runtime'

const readOnly = (key: string, holder: string) =>
  `threw Error(TypeError: Cannot assign to read only property '${key}' of ${holder}){}`

export const differences: Difference[] = [
  // --- prototypes and builtins cannot be changed
  {
    why: shared,
    snippet: 'Array.prototype.last = function () { return this.at(-1) }; return [1, 2].last()',
    plain: '2',
    sandbox: 'threw Error(TypeError: Cannot add property last, object is not extensible){}',
  },
  {
    why: shared,
    snippet: 'String.prototype.trim = () => "patched"; return " a ".trim()',
    plain: '"patched"',
    sandbox: readOnly('trim', "object '[object String]'"),
  },
  {
    why: shared,
    snippet: 'Map.prototype.get = () => "patched"; return new Map().get(1)',
    plain: '"patched"',
    sandbox: readOnly('get', 'object'),
  },
  {
    why: shared,
    snippet: 'Object.prototype.toString = () => "patched"; return String({})',
    plain: '"patched"',
    sandbox: readOnly('toString', 'object'),
  },
  {
    why: shared,
    snippet: 'Error.prototype.name = "Patched"; return new Error("x").name',
    plain: '"Patched"',
    sandbox: readOnly('name', 'object'),
  },
  {
    why: shared,
    snippet: 'delete Array.prototype.map; return typeof [].map',
    plain: '"undefined"',
    sandbox: "threw Error(TypeError: Cannot delete property 'map' of [object Array]){}",
  },
  {
    why: shared,
    snippet: 'Math.double = (x) => 2 * x; return Math.double(2)',
    plain: '4',
    sandbox: 'threw Error(TypeError: Cannot add property double, object is not extensible){}',
  },
  {
    why: shared,
    snippet: 'Math.random = () => 4; return Math.random()',
    plain: '4',
    sandbox: readOnly('random', "object '[object Math]'"),
  },
  {
    why: shared,
    snippet: 'Object.assign(Array, { first: (a) => a[0] }); return Array.first([7])',
    plain: '7',
    sandbox: 'threw Error(TypeError: Cannot add property first, object is not extensible){}',
  },
  {
    why: shared,
    snippet: 'Error.stackTraceLimit = 0; return Error.stackTraceLimit',
    plain: '0',
    sandbox: readOnly('stackTraceLimit', "function 'function Error() { [native code] }'"),
  },
  {
    why: shared,
    snippet: 'Array = 1; return Array',
    plain: '1',
    sandbox: readOnly('Array', "object '[object Object]'"),
  },
  {
    why: shared,
    snippet: '[Object.isFrozen(Array.prototype), Object.isFrozen(Math), Object.isFrozen([].push)]',
    plain: 'Array(3){"0": false, "1": false, "2": false}',
    sandbox: 'Array(3){"0": true, "1": true, "2": true}',
  },
  {
    why: shared,
    snippet: 'const mine = Object.create(Math); mine.max = () => "mine"; return mine.max()',
    plain: '"mine"',
    sandbox: readOnly('max', "object '[object Math]'"),
  },

  // --- assignments on own objects that fail
  {
    why: fast,
    snippet: 'const a = []; a.push = () => "mine"; return a.push()',
    plain: '"mine"',
    sandbox: readOnly('push', "object '[object Array]'"),
  },
  {
    why: fast,
    snippet: 'const a = [1]; a[Symbol.iterator] = function* () { yield 2 }; return [...a]',
    plain: 'Array(1){"0": 2}',
    sandbox: readOnly('Symbol(Symbol.iterator)', "object '[object Array]'"),
  },
  {
    why: fast,
    snippet: 'const p = Promise.resolve(); p.then = () => "mine"; return p.then()',
    plain: '"mine"',
    sandbox: readOnly('then', "object '[object Promise]'"),
  },
  {
    why: fast,
    snippet: 'const r = /x/; r.exec = () => null; return r.test("x")',
    plain: 'false',
    sandbox: readOnly('exec', "object '[object RegExp]'"),
  },
  {
    why: fast,
    snippet: 'const g = (function* () {})(); g.next = () => "mine"; return g.next()',
    plain: '"mine"',
    sandbox: readOnly('next', "object '[object Generator]'"),
  },
  {
    why: fast,
    snippet: 'class Mine extends Promise {} Mine.resolve = () => "mine"; return Mine.resolve()',
    plain: '"mine"',
    sandbox: readOnly('resolve', "function 'class Mine extends Promise {}'"),
  },
  {
    why: primitive,
    snippet: 'const s = new String("a"); s.trim = () => "mine"; return s.trim()',
    plain: '"mine"',
    sandbox: readOnly('trim', "object '[object String]'"),
  },
  {
    why: primitive,
    snippet: 'const n = new Number(1); n.toFixed = () => "mine"; return n.toFixed()',
    plain: '"mine"',
    sandbox: readOnly('toFixed', "object '[object Number]'"),
  },
  {
    why: primitive,
    snippet: '"abc".toString = 1',
    plain: "threw Error(TypeError: Cannot create property 'toString' on string 'abc'){}",
    sandbox: readOnly('toString', "string 'abc'"),
  },

  // --- differences that code can notice
  {
    why: words,
    snippet: 'const o = Object.freeze({ a: 1 }); o.a = 2',
    plain: readOnly('a', "object '#<Object>'"),
    sandbox: readOnly('a', "object '[object Object]'"),
  },
  {
    why: words,
    snippet: 'const o = Object.freeze({ a: 1 }); delete o.a',
    plain: "threw Error(TypeError: Cannot delete property 'a' of #<Object>){}",
    sandbox: "threw Error(TypeError: Cannot delete property 'a' of [object Object]){}",
  },
  {
    why: words,
    snippet: 'Map.prototype.get.call({}, 1)',
    plain: 'threw Error(TypeError: Method Map.prototype.get called on incompatible receiver #<Object>){}',
    sandbox:
      'threw Error(TypeError: Method Map.prototype.get called on incompatible receiver [object Object]){}',
  },
  {
    why: accessor,
    snippet:
      'const { value, get } = Object.getOwnPropertyDescriptor(Map.prototype, "get"); return [typeof value, typeof get]',
    plain: 'Array(2){"0": "function", "1": "undefined"}',
    sandbox: 'Array(2){"0": "undefined", "1": "function"}',
  },

  // --- time and chance
  {
    why: repeatable,
    snippet:
      'let turns = 0; for (const start = Date.now(); Date.now() === start && turns < 1e7; turns += 1); return turns < 1e7',
    plain: 'true',
    sandbox: 'false',
  },
  {
    why: repeatable,
    snippet: '[Date, Date.now, Math.random].map((f) => String(f).endsWith("{ [native code] }"))',
    plain: 'Array(3){"0": true, "1": true, "2": true}',
    sandbox: 'Array(3){"0": false, "1": false, "2": false}',
  },

  // --- absent members
  {
    why: noCompiling,
    snippet: '[].map["constru" + "ctor"]("1")()',
    plain: 'undefined',
    sandbox: 'threw Error(TypeError: code cannot be made from strings){}',
  },
  {
    why: noCompiling,
    snippet: 'new (async () => {})["constru" + "ctor"]("1")',
    plain: 'function "anonymous"',
    sandbox: 'threw Error(TypeError: (intermediate value)["constructor"] is not a constructor){}',
  },
  {
    why: absent,
    snippet:
      '[typeof ArrayBuffer, typeof DataView, typeof WebAssembly, typeof Temporal, typeof DisposableStack, typeof AsyncDisposableStack]',
    plain:
      'Array(6){"0": "function", "1": "function", "2": "object", "3": "object", "4": "function", "5": "function"}',
    sandbox:
      'Array(6){"0": "undefined", "1": "undefined", "2": "undefined", "3": "undefined", "4": "undefined", "5": "undefined"}',
  },
  {
    why: absent,
    snippet: '/(b)/.exec("abc"); return [RegExp.$1, RegExp.lastMatch, RegExp.input]',
    plain: 'Array(3){"0": "b", "1": "b", "2": "abc"}',
    sandbox: 'Array(3){"0": undefined, "1": undefined, "2": undefined}',
  },
]
