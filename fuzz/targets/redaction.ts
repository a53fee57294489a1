import assert from 'node:assert/strict'
import fc from 'fast-check'
import { redactor, shownWords } from '../../packages/server/src/ai/redaction.ts'
import { textWith, valuesTarget } from '../target.ts'

/** Not only letters: `secret` would be found in the replacement. */
const secret = fc.oneof(
  fc.string({ minLength: 6, maxLength: 40 }).map((text) => `7${text}`),
  fc.base64String({ minLength: 12, maxLength: 40 }).map((text) => `sk-${text}`),
  textWith('pass', 'wörd').map((text) => `7${text}1234567`),
)
const spellings: ((text: string) => string)[] = [
  (text) => text,
  (text) => JSON.stringify(text),
  (text) => encodeURIComponent(text.toWellFormed()),
  (text) => Buffer.from(text).toString('base64'),
  (text) => Buffer.from(text).toString('base64url'),
  (text) => Buffer.from(text).toString('hex'),
]
const mention = fc.record({
  which: fc.nat(),
  how: fc.nat({ max: spellings.length - 1 }),
  before: textWith('key=', 'Bearer ', ' '),
})

/** If an error contains a secret, the shown text contains it in none of its possible encodings. */
export default valuesTarget(
  fc.record({
    secrets: fc.array(secret, { minLength: 1, maxLength: 4 }),
    mentions: fc.array(mention, { maxLength: 5 }),
  }),
  ({ secrets, mentions }) => {
    const text = mentions
      .map(({ which, how, before }) => before + spellings[how]!(secrets[which % secrets.length]!))
      .join(' ')
    const redact = redactor(secrets)
    const shown = redact(text)
    for (const one of secrets.map((text) => text.trim()).filter((text) => text.length >= 6)) {
      for (const spelling of spellings) {
        const written = spelling(one).replaceAll(/^"|"$|=+$/g, '')
        assert.ok(!shown.includes(written), `${JSON.stringify(written)} is shown`)
      }
    }
    assert.match(shownWords(text, redact), /^[\x20-\x7e]{0,200}$/)
  },
)
