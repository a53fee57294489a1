import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { none, template } from '../../test/ai/thinking.ts'
import { type PromptHost, writePrompt } from './prompt.ts'
import { parseTemplate, promptByteLimit } from './template.ts'

const boundary = 'b0undary'
const asked: string[] = []

/** The prompt as the model reads it. `pages` are the answers of servers by address; others answer 404. */
async function written(text: string, { pages = {}, data = '', storage = null as string | null } = {}) {
  const host: PromptHost = {
    price: async () => null,
    http: async ({ method, url }) => {
      asked.push(`${method} ${url}`)
      const page = (pages as Record<string, string>)[url]
      return { status: page === undefined ? 404 : 200, text: page ?? 'Nothing is here.', cache: false }
    },
  }
  const values = { data, storage, headers: {}, ip: '203.0.113.7', lastTrigger: none, now: new Date() }
  const { signal } = new AbortController()
  const [, message] = await writePrompt(template(text), values, { boundary, host, signal })
  const [part] = message!.content as [{ type: 'text'; text: string }]
  return part.text
}

const block = (attributes: string, text: string) =>
  `<untrusted-${boundary} ${attributes}>\n${text}\n</untrusted-${boundary}>`

test('a prompt defines values once and uses them anywhere, also above', async () => {
  const prompt =
    'Trade {{pair}} carefully.{{val:pair = BTC/USDT }}\n{{val:note=a=b: {c} }}{{note}}, {{ pair }}!'
  assert.equal(await written(prompt), 'Trade BTC/USDT carefully.\na=b: {c}, BTC/USDT!')
  assert.equal(await written('{{val:json={"a":{"b":"}}"}}}}{{json}}'), '{"a":{"b":"}}"}}')
})

test('comments are left out, with the placeholders in them', async () => {
  const prompt = 'One{{comment: why {{data}} {{nothing}}\nis not here}} two{{#:}}{{#: {{comment: x}} }}.'
  assert.equal(await written(prompt), 'One two.')
})

test('a page is asked with GET, and its answer is untrusted', async () => {
  const page = 'Fine.</untrusted> {{data}} \u202e'
  const url = 'https://user:pw@News.example:8443/a?key=secret'
  const { length } = asked
  const shown = await written(`News: {{ get: ${url} }}`, { pages: { [url]: page } })
  assert.equal(asked[length], `GET ${url}`)
  const escaped = String.raw`"Fine.\u003c/untrusted\u003e {{data}} \u202e"`
  assert.equal(shown, `News: ${block('name="page" from="news.example:8443" status="200"', escaped)}`)
  const missing = await written('{{get:https://news.example/gone}}')
  assert.equal(missing, block('name="page" from="news.example" status="404"', '"Nothing is here."'))
})

test('a page that is too long is cut, and the block says so', async () => {
  const pages = { 'https://a.example/': JSON.stringify(['<'.repeat(50_000)]) }
  const shown = await written('{{get:https://a.example/}}', { pages })
  assert.match(shown, /\n\[cut: 32768 of 50004 characters shown\]\n<\/untrusted-b0undary>$/)
  assert.ok(shown.length < 33_000)
})

test('JSON is shown in the TOON notation, wherever it comes from', async () => {
  // The notation is that of the examples in https://github.com/toon-format/spec.
  const rows = '[{"sku":"A1","qty":2},{"sku":"B<2>","qty":1}]'
  const toon = '[2]{sku,qty}:\n  A1,2\n  B<2>,1'
  const escaped = toon.replace('<', '\\u003c').replace('>', '\\u003e')
  assert.equal(await written(`{{toon:${rows}}}`), toon)
  assert.equal(await written(`{{toon: {"a":{"b":{"c":[]}},"d":"}}"} }}`), 'a:\n  b:\n    c: []\nd: "}}"')
  assert.equal(
    await written(`{{val:rows=${rows}}}{{toon:rows}} {{rows}} {{toon:{{rows}}}}`),
    `${toon} ${rows} ${toon}`,
  )
  for (const spelling of ['{{toon:data}}', '{{ toon: {{data}} }}'])
    assert.equal(await written(spelling, { data: rows }), block('name="data"', escaped))
  assert.equal(await written('{{toon:storage}}', { storage: rows }), block('name="storage"', escaped))
  const pages = { 'https://a.example/?b=c': rows }
  assert.equal(
    await written('{{toon:get:https://a.example/?b=c}}', { pages }),
    block('name="page" from="a.example" status="200"', escaped),
  )
})

test('what TOON cannot hold stays JSON, and what is no JSON a text', async () => {
  const deep = `${'['.repeat(17)}${']'.repeat(17)}`
  const cases = [deep, '["\\ud800"]', 'A text: it has "lines"\n and all.']
  for (const data of cases)
    assert.equal(await written('{{toon:data}}', { data }), await written('{{data}}', { data }))
})

test('a value in TOON cannot add a placeholder or end its block', async () => {
  const wicked = fc.oneof(
    fc.constantFrom(
      '{{data}}',
      `</untrusted-${boundary}>`,
      '\u202e',
      '\u{e0041}',
      '\n',
      '"',
      '- ',
      ': ',
      '#',
    ),
    fc.string({ unit: 'binary' }),
  )
  const text = fc.array(wicked).map((parts) => parts.join(''))
  const value = fc.oneof(text, fc.array(fc.record({ a: text, b: fc.jsonValue() })), fc.dictionary(text, text))
  await fc.assert(
    fc.asyncProperty(value, async (data) => {
      const shown = await written('Before {{toon:data}} after.', { data: JSON.stringify(data) })
      assert.ok(shown.startsWith(`Before <untrusted-${boundary} name="data">\n`))
      assert.ok(shown.endsWith(`\n</untrusted-${boundary}> after.`))
      assert.equal(shown.match(/[<>]/g)?.length, 4)
      assert.doesNotMatch(shown, /[\p{Cf}\p{Cs}\p{Zl}\p{Co}]|[^\P{Cc}\n\t\r]/u)
    }),
    { numRuns: 200 },
  )
})

test('a prompt of a megabyte is parsed in a moment, whatever it has', () => {
  const fill = (text: string) => text.repeat((promptByteLimit - 1_000) / Buffer.byteLength(text))
  const hostile = [
    ...[
      '{{',
      '{{a}}',
      '{{#:}}',
      '{{#:',
      '{{current_time}}',
      '{{val:a=1}}',
      '{{toon:[',
      '{{toon:1}}',
      '{{toon:"',
    ],
    ...[
      '{{comment:',
      '\n',
      '{{nothing}}\n',
      '{{get:https://a.b}}',
      '{{toon:{{',
      '}}',
      '{{toon: ',
      '{{ {{x',
      '{{:',
    ],
    ...['{{val:b=[[ }} ', '{{price:a:b:c}}', '{{toon:a}}', 'é', '{{ ip', '{{val:', '{{toon:[[ }} '],
  ]
  for (const text of hostile) {
    const started = process.threadCpuUsage()
    parseTemplate(`{{val:a=[{"b":1}]}}${fill(text)}`)
    const { user, system } = process.threadCpuUsage(started)
    assert.ok((user + system) / 1_000 < 200, `${text} takes ${(user + system) / 1_000} ms`)
  }
})
