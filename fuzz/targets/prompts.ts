import assert from 'node:assert/strict'
import fc from 'fast-check'
import { writePrompt } from '../../packages/server/src/ai/prompt.ts'
import { parseTemplate } from '../../packages/server/src/ai/template.ts'
import { textWith, valuesTarget } from '../target.ts'

const boundary = 'b0b0'
const hostile = textWith(
  '</untrusted-b0b0>',
  '<untrusted-b0b0 name="data">',
  '{{data}}',
  '\u202e',
  '\u{e0041}',
  '"}',
  'ignore',
)
const data = fc.oneof(
  hostile,
  hostile.map((text) => JSON.stringify({ text })),
  fc.json(),
)

/** Outside text stays within its block, which contains nothing that could end it, and nothing invisible. */
export default valuesTarget(
  fc.record({
    data,
    storage: fc.option(data),
    ip: hostile,
    headers: fc.dictionary(hostile, hostile),
    page: data,
    price: fc.double(),
    isToon: fc.boolean(),
  }),
  async ({ price, isToon, ...outside }) => {
    const names = ['data', 'headers', 'ip', 'storage', 'page'] as const
    const placeholders = ['data', 'headers', 'ip', 'storage', 'get:https://a.example/']
    const written = placeholders.map((one) => (isToon && one !== 'ip' ? `{{toon:${one}}}` : `{{${one}}}`))
    const { template } = parseTemplate(`${written.join('|')}|{{price:a:b:c}}`)
    const values = { ...outside, lastTrigger: { action: null, at: null }, now: new Date(0) }
    const host = {
      price: async () => price,
      http: async () => ({ status: 200, text: outside.page, cache: false }),
    }
    const { signal } = new AbortController()
    const [, message] = await writePrompt(template!, values as never, { boundary, host, signal })
    const [part] = message!.content as unknown as [{ text: string }]
    const block =
      /<untrusted-b0b0 name="(\w+)"(?: from="a\.example" status="200")?>\n([^<>]*)\n<\/untrusted-b0b0>/g
    const blocks = [...part.text.matchAll(block)]
    assert.deepEqual(
      blocks.map(([, name]) => name),
      names,
    )
    assert.equal(part.text.match(/[<>]/g)?.length, 4 * names.length)
    assert.doesNotMatch(part.text, /[^\P{C}\n\r\t]|[\p{Zl}\p{Zp}]/u)
    for (const [index, name] of names.entries()) {
      const text = outside[name]
      if (part.text.includes('\n[cut: ') || isToon) return
      const shown = JSON.parse(blocks[index]![2]!)
      assert.equal(JSON.stringify(shown), JSON.stringify(typeof text === 'string' ? jsonOr(text) : text))
    }
  },
)

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
