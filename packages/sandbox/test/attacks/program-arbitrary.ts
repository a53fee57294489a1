/** Small random hostile programs, which read, call, construct, change and throw everything that they can reach. */

import fc from 'fast-check'

const roots = [
  '$',
  '$.Ta',
  '$.Storage',
  '$.Strategy',
  '$.Http',
  '$.Candles',
  '$.log',
  '$.Action',
  'new $.Ta.SMA(2)',
  '$.Http.createApiClient({ apiKey: "k", apiSecret: "s" })',
  '$.Strategy.stop()',
  '$.Http.get("http://refused.example/").catch((e) => e)',
  ...'Object Array Promise Error JSON Math Symbol Date RegExp Map Iterator String BigInt'.split(' '),
  ...'({}) [1,2] "text" 1n 7 null undefined /x/g (()=>{}) (async()=>{}) (function*(){}) (async()=>{})()'.split(
    ' ',
  ),
  '(async function* () {})()',
  'class extends Array {}',
  'new Error("x")',
  'new Map([[1, 2]])',
  'new Uint8Array(8)',
  'Symbol.for("x")',
  '[].values()',
  '"x".matchAll(/x/g)',
  '((strings) => strings)`t`',
  'this',
  'arguments',
  'kept.at(-1)',
  'caught',
]

const keys = [
  '"con" + "structor"',
  ...'__proto__ prototype then toString toJSON valueOf call apply bind caller arguments callee stack name message'
    .split(' ')
    .map((key) => `"${key}"`),
  ...'length next return throw get set value raw buffer cause leftover id size 0 prepareStackTrace captureStackTrace'
    .split(' ')
    .map((key) => `"${key}"`),
  ...'iterator asyncIterator species hasInstance toPrimitive toStringTag dispose unscopables match'
    .split(' ')
    .map((name) => `Symbol.${name}`),
  'Object.getOwnPropertyNames(Object(kept.at(-1)))[1]',
]

const key = fc.constantFrom(...keys)

const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const inner = tie('expression')
  const filled = (template: string) =>
    fc.tuple(inner, inner, inner, key).map((parts) => fill(template, parts))
  return {
    expression: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(...roots),
      filled('(A)?.[K]'),
      filled('(A)?.[K]?.(B)'),
      filled('(A)(B, C)'),
      filled('(A).call(B, C)'),
      filled('new (A)(B)'),
      filled('Object.getPrototypeOf(A)'),
      filled('Object.getOwnPropertyDescriptor(Object(A), K)'),
      filled('Object.create(A, { [K]: { value: B } })'),
      filled('{ get [K]() { return A } }').map(parenthesised),
      filled('{ [K]: A, then(resolve) { resolve(B) } }').map(parenthesised),
      filled('{ toJSON: () => A, [Symbol.toPrimitive]: () => B }').map(parenthesised),
      filled('(...args) => (kept.push(...args), A)').map(parenthesised),
      filled('function () { return this ?? A }').map(parenthesised),
      filled('[A, B]'),
      filled('"" + (A)'),
    ),
  }
})

const statement = fc
  .tuple(
    fc.constantFrom(
      'kept.push(A)',
      '(A)[K] = B',
      'Object.defineProperty(A, K, { get: () => B, set: (value) => kept.push(value) })',
      'Object.setPrototypeOf(A, B)',
      'Object.assign(A, { leftover: B })',
      'delete (A)[K]',
      'for (const item of A) { kept.push(item); break }',
      'for await (const item of A) { kept.push(item); break }',
      'await (A)',
      'Error.captureStackTrace(A); kept.push((A).stack)',
      'Error.prepareStackTrace(A, [B, C])',
      '$.log(A, B)',
      'await $.Storage.set(A)',
      'await $.Strategy.action(A, B)',
      'await $.Strategy.action("LONG", A)',
      'await $.Http.post(A, B, C)',
      'await $.Http.get("http://a.example/", A, B)',
      'await $.getExchangeRate(A, B)',
      'await $.candles(A, B, C)',
      'kept.push(await $.candles("x", "1h", 3, A))',
      '$.Candles.resample(A, B)',
      'Promise.reject(A)',
      'Promise.resolve(A).then(B, C)',
      '(async () => { for (;;) { await $.Strategy.stop(true); kept.push(A) } })()',
      'using resource = { [Symbol.dispose]: A }',
      'throw A',
    ),
    expression,
    expression,
    expression,
    key,
    fc.integer({ min: 0, max: 3 }),
  )
  .map(([template, a, b, c, k, loose]) => {
    const text = fill(template, [a, b, c, k])
    // Most errors are caught, so that the program continues.
    return loose === 0 ? `{ ${text} }` : `try { ${text} } catch (error) { caught = error }`
  })

/** The body of a strategy that passes the text check. */
export const hostileProgram = fc
  .array(statement, { minLength: 1, maxLength: 6 })
  .map((statements) => `const kept = []\nlet caught\n${statements.join('\n')}`)

function fill(template: string, [a, b, c, k]: [string, string, string, string]): string {
  return template.replaceAll(/\b[ABCK]\b/g, (letter) => ({ A: a, B: b, C: c, K: k })[letter]!)
}

function parenthesised(text: string): string {
  return `(${text})`
}
