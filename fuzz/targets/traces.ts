import assert from 'node:assert/strict'
import fc from 'fast-check'
import { urlWithoutSecrets } from '../../packages/server/src/outgoing/http-trace.ts'
import { textWith, valuesTarget } from '../target.ts'

/** Texts with characters that URLs drop, and texts that are slow for regular expressions. */
const filler = fc.tuple(
  fc.constantFrom('\t', '\n', '\r\n', ' ', '+', '%', '%25', 'a', 'aB'),
  fc.integer({ min: 1, max: 30 }),
)
const row = filler.map(([text, times]) => text.repeat(times))
const secret = fc
  .tuple(textWith('7key', 'ü', '/'), fc.oneof(row, fc.constant('')), textWith('end', '?'))
  .map((parts) => parts.join(''))
  .filter((text) => text.trim().length >= 8)
const place = fc.record({
  which: fc.nat(),
  how: fc.constantFrom('path', 'query', 'params'),
  isCut: fc.boolean(),
  before: textWith('/', 'q='),
})

/** No URL in a run's record contains the value of a variable, in any encoding. */
export default valuesTarget(
  fc.record({
    secrets: fc.array(secret, { minLength: 1, maxLength: 4 }),
    places: fc.array(place, { maxLength: 4 }),
  }),
  ({ secrets, places }) => {
    const env = Object.fromEntries(secrets.map((value, index) => [`V${index}`, value]))
    let address = 'https://a.example/x'
    const params: [string, string][] = []
    for (const { which, how, isCut, before } of places) {
      const value = secrets[which % secrets.length]!.toWellFormed()
      const text = isCut ? value.slice(0, value.length / 2) : value
      if (how === 'params') params.push(['q', before + text])
      else address += (how === 'path' ? '/' : '?') + encodeURIComponent((before + text).toWellFormed())
    }
    const shown = urlWithoutSecrets({ url: address, params }, env)
    assert.ok(shown.length <= 1_000)
    const readings = [shown, shown.replaceAll('+', ' ')].map((text) =>
      plain(decodeURIComponent(cleaned(text))),
    )
    for (const value of secrets.map((text) => plain(text.trim().toWellFormed()))) {
      if (value.length < 8 || /[{}*]/.test(value)) continue
      assert.ok(!readings.some((text) => text.includes(value)), `${shown} shows ${JSON.stringify(value)}`)
    }
  },
)

function plain(text: string): string {
  return text.replaceAll(/[\t\n\r]/g, '').toLowerCase()
}

/** Completes a text so that it can be decoded where it was cut. */
function cleaned(shown: string): string {
  return shown.replaceAll(/(?:%[0-9a-f]{2})+|%/gi, (bytes) => {
    const text = Buffer.from(bytes.replaceAll('%', ''), 'hex').toString()
    return encodeURIComponent(text)
  })
}
