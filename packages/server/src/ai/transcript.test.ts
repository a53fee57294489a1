import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { answerJson, call, says, startProvider } from '../../test/ai/stand-in.ts'
import { thinkWith } from '../../test/ai/thinking.ts'
import { protocols } from '../../test/ai/wire-formats.ts'
import { redactor } from './redaction.ts'
import { Transcript, transcriptByteLimit } from './transcript.ts'

test('a transcript lists everything that was said and done, in order', async () => {
  await using provider = await startProvider(
    'anthropic',
    says(
      { text: 'I look.', calls: [call('get_storage')], tokens: { input: 10, output: 5 } },
      { text: 'Up it goes.', calls: [call('open_position', { direction: 'LONG' })] },
    ),
  )
  const { transcript, tokens, durationMs } = await thinkWith(provider, { data: '{"price":1}' })
  const entries = transcript.map(({ ms, ...entry }) => {
    assert.ok(ms >= 0 && ms <= durationMs + 1)
    if (entry.type === 'prompt') return { type: entry.type, role: entry.role }
    // The name of a block of untrusted text has a part that nobody can guess.
    return entry.type === 'result' ? { ...entry, text: entry.text.replaceAll(/-[\da-f]{24}/g, '-…') } : entry
  })
  assert.deepEqual(entries, [
    { type: 'prompt', role: 'system' },
    { type: 'prompt', role: 'user' },
    { type: 'asked', service: 'Anthropic', model: 'stand-in', fallback: false },
    { type: 'answer', text: 'I look.', finish: 'tool-calls', tokens: { input: 10, output: 5 } },
    { type: 'call', tool: 'get_storage', input: '{}' },
    {
      ...{ type: 'result', tool: 'get_storage', status: 'accepted' },
      text: '<untrusted-… name="storage">\nnull\n</untrusted-…>',
    },
    { type: 'answer', text: 'Up it goes.', finish: 'tool-calls', tokens: { input: 100, output: 20 } },
    { type: 'call', tool: 'open_position', input: '{"direction":"LONG"}' },
    {
      ...{ type: 'result', tool: 'open_position', status: 'accepted' },
      text: '{"accepted":true,"action":"LONG"}',
    },
    { type: 'answer', text: 'Done.', finish: 'stop', tokens: { input: 100, output: 20 } },
  ])
  assert.match(JSON.stringify(transcript[1]), /price/)
  assert.deepEqual(tokens, { input: 210, output: 45 })
})

test('keys and variables that a provider echoes do not get into the record', async () => {
  const variable = 'of "odd" characters: ü/+&'
  for (const protocol of protocols) {
    for (const fails of [false, true]) {
      let key = ''
      await using provider = await startProvider(protocol, ({ turn }) => {
        const echo = [key, encodeURIComponent(variable), Buffer.from(key).toString('base64'), variable]
        const words = `Your keys: ${echo.join(' , ')}; Authorization: Bearer ${key}`
        if (fails) return (response) => answerJson(response, 400, { error: { message: words } })
        return { text: words, calls: turn === 0 ? [call(`leak_${key}`, { key, variable })] : [] }
      })
      key = provider.key
      const outcome = await thinkWith(provider, {
        secrets: [variable],
        data: JSON.stringify({ key, variable }),
      })
      const kept = JSON.stringify(outcome)
      assert.match(kept, /\[secret\]/)
      const spellings = [key, JSON.stringify(variable).slice(1, -1), encodeURIComponent(variable), variable]
      for (const spelling of [...spellings, Buffer.from(key).toString('base64').slice(0, 20)]) {
        assert.ok(!kept.includes(spelling), `${protocol}: ${spelling} in ${kept}`)
        assert.ok(!kept.includes(JSON.stringify(spelling).slice(1, -1)))
      }
    }
  }
})

test('secrets are also found by their format', () => {
  const redact = redactor([])
  const cases: [text: string, shown: string][] = [
    ['Authorization: Bearer abcdefgh12345', 'Authorization: [secret]'],
    ['"x-api-key":"abc123def"', '"x-api-key":"[secret]"'],
    ['key sk-proj-abcdefghijklmnop1234 is wrong', 'key [secret] is wrong'],
    ['AIzaSyA1234567890abcdefghijklmnopqrstuv', '[secret]'],
    ['nothing to hide, says the risk-taker', 'nothing to hide, says the risk-taker'],
  ]
  for (const [text, shown] of cases) {
    const redacted = redact(text)
    assert.ok(redacted === shown || !/abcdefgh|abc123|AIza/.test(redacted), redacted)
    if (text === shown) assert.equal(redacted, text)
  }
})

test('no part of a secret stays where a long text is cut', () => {
  const secret = 'variable-'.repeat(300)
  const redact = redactor([secret])
  for (const before of [0, 20_000, 21_500, 24_000, 24_570, 26_000]) {
    for (const told of [secret, Buffer.from(secret).toString('hex')]) {
      const transcript = new Transcript(redact, performance.now())
      const text = `${'.'.repeat(before)}${told.repeat(40)}${'.'.repeat(100_000)}`
      transcript.add({ type: 'prompt', role: 'user', text })
      const [entry] = transcript.entries as readonly { text?: string }[]
      assert.match(entry!.text!, /… \(cut\)$/)
      assert.doesNotMatch(entry!.text!, /vari|able|7661/)
    }
  }
})

test('a transcript has at most 64 KB, and long texts do not displace the calls', () => {
  const entry = fc.oneof(
    fc.record({
      type: fc.constant('prompt' as const),
      role: fc.constant('user' as const),
      text: fc.string(),
    }),
    fc.record({
      ...{ type: fc.constant('answer' as const), text: fc.string(), finish: fc.constant('stop') },
      tokens: fc.constant(null),
    }),
    fc.record({ type: fc.constant('call' as const), tool: fc.string(), input: fc.string() }),
  )
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 12 }), fc.nat(9_000), (entries, times) => {
      const transcript = new Transcript(redactor([]), performance.now())
      for (const one of entries) {
        transcript.add('text' in one ? { ...one, text: one.text.repeat(times) } : one)
      }
      assert.ok(Buffer.byteLength(JSON.stringify(transcript.entries)) <= transcriptByteLimit)
    }),
    { numRuns: 50 },
  )
  const transcript = new Transcript(redactor([]), performance.now())
  for (let answer = 0; answer < 30; answer += 1) {
    transcript.add({ type: 'answer', text: '"é'.repeat(4_000), finish: 'stop', tokens: null })
  }
  transcript.add({ type: 'call', tool: 'open_position', input: '{}' })
  assert.deepEqual(
    transcript.entries.slice(-2).map(({ type }) => type),
    ['cut', 'call'],
  )
})
