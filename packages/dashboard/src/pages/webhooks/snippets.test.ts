import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AlertFormat, formats } from './form.ts'
import { snippetsFor } from './snippets.ts'

const url = 'https://example.com/data-webhook/secret'
const textOf = (id: string, options: Partial<Parameters<typeof snippetsFor>[0]> = {}) =>
  snippetsFor({ url, kind: 'data', needsKey: false, keyFrom: 'header', ...options }).find(
    (snippet) => snippet.id === id,
  )!

test('each program has the address, and the password only where the webhook wants one', () => {
  for (const id of ['curl', 'javascript', 'python', 'tradingview']) {
    assert.ok(textOf(id).text.includes(url), id)
    assert.ok(!textOf(id).text.includes('PASSWORD'), id)
    assert.ok(textOf(id, { needsKey: true }).text.includes('YOUR_PASSWORD'), id)
  }
})

test('for TradingView, the password is in the message, and a webhook that reads none there says so', () => {
  const { text, notes, warning } = textOf('tradingview', { needsKey: true })
  assert.match(text, /\{"key": "YOUR_PASSWORD", "ticker"/)
  assert.match(warning!, /cannot send a header/)
  assert.ok(notes.some((note) => note.includes('3 seconds')))
  assert.equal(textOf('tradingview', { needsKey: true, keyFrom: 'header_or_body' }).warning, undefined)
})

test('each format has a payload and a message in its own words', () => {
  for (const format of Object.keys(formats) as AlertFormat[]) {
    const { text } = textOf('curl', { kind: 'bot', format })
    assert.match(text, /BTC\/?USDT/)
    const message = textOf('tradingview', { kind: 'bot', format }).text.split('Message:\n')[1]!
    assert.doesNotThrow(() => JSON.parse(message), format)
  }
})

test('the program for JavaScript is one', () => {
  const { text } = textOf('javascript', { needsKey: true, kind: 'bot' })
  assert.doesNotThrow(() => new Function(`return async () => { ${text} }`))
})

test('MetaTrader gets the payload as a text of MQL5, and is told which address to allow', () => {
  const { text, notes } = textOf('metatrader', { needsKey: true, kind: 'bot' })
  assert.match(text, /string payload = "\{\\"symbol\\":\\"BTC\/USDT\\",\\"side\\":\\"BUY\\"\}";/)
  assert.match(text, /x-key: YOUR_PASSWORD\\r\\n"/)
  assert.match(notes[0]!, /allow WebRequest for https?:\/\/[^/]+\./)
})

test('each program says where the key goes', () => {
  for (const id of ['curl', 'javascript', 'python', 'metatrader']) {
    const said = textOf(id, { needsKey: true }).notes.join(' ')
    assert.match(said, /last part of the address is the key/)
    assert.match(said, /header x-key/)
  }
})
