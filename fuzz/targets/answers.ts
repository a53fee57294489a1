import assert from 'node:assert/strict'
import fc from 'fast-check'
import { askInStream, askWhole } from '../../packages/server/src/ai/answer.ts'
import { ProviderFailure } from '../../packages/server/src/ai/provider-failure.ts'
import { textWith, valuesTarget } from '../target.ts'

const text = textWith('{"size":1}', '[]', 'open_position', '__proto__', 'null')
const id = fc.constantFrom('1', '2', '__proto__')
const call = fc.record(
  {
    type: fc.constant('tool-call'),
    toolCallId: text,
    toolName: text,
    input: fc.oneof(text, fc.json()),
    providerExecuted: fc.boolean(),
  },
  { requiredKeys: ['type', 'toolCallId', 'toolName', 'input'] },
)
const said = fc.record({ type: fc.constantFrom('text', 'reasoning'), text })
const part = fc.oneof(
  call,
  fc.record({ type: fc.constantFrom('text-start', 'reasoning-start', 'text-end', 'reasoning-end'), id }),
  fc.record({ type: fc.constantFrom('text-delta', 'reasoning-delta'), id, delta: text }),
  fc.record({
    type: fc.constantFrom('error', 'raw', 'source', 'unknown'),
    error: fc.oneof(text, fc.constant({ message: 'm' })),
  }),
)
const count = fc.oneof(fc.integer(), fc.double(), fc.constant(null))
const end = fc.record({
  type: fc.constant('finish'),
  finishReason: fc.record({ unified: fc.constantFrom('stop', 'tool-calls', 'length', 'error') }),
  usage: fc.record({ inputTokens: fc.record({ total: count }), outputTokens: fc.record({ total: count }) }),
})
const answer = fc.record({
  content: fc.array(fc.oneof(call, said)),
  parts: fc.array(part),
  end: fc.option(end),
})

/** Any output of a model is an answer whose calls providers accept back, or a failure of the provider. */
export default valuesTarget(answer, async ({ content, parts, end }) => {
  const model = {
    doGenerate: async () => ({ content, ...end }),
    doStream: async () => ({ stream: ReadableStream.from([...parts, ...(end === null ? [] : [end])]) }),
  } as never
  if (end !== null) sound(await askWhole(model, {} as never))
  try {
    sound(await askInStream(model, {} as never))
    assert.ok(end !== null)
  } catch (error) {
    assert.ok(error instanceof ProviderFailure, String(error))
  }
})

function sound({ text, calls, tokens, message }: Awaited<ReturnType<typeof askWhole>>): void {
  assert.equal(typeof text, 'string')
  assert.ok(
    tokens === null || (tokens.input > 0 && tokens.output >= 0 && tokens.input + tokens.output <= 2e9),
  )
  const replayed = (message.content as { type: string; toolName: string; input: unknown }[]).filter(
    ({ type }) => type === 'tool-call',
  )
  assert.equal(replayed.length, calls.length)
  for (const { toolName, input } of replayed) {
    assert.match(toolName, /^[\w-]{1,64}$/)
    assert.ok(typeof input === 'object' && input !== null && !Array.isArray(input))
  }
}
