import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerJson, call, type Model, type Reply, says, startProvider } from '../../test/ai/stand-in.ts'
import { thinkWith } from '../../test/ai/thinking.ts'
import type { ThinkLimits } from './think.ts'

const error =
  (status: number): Reply =>
  (response) =>
    answerJson(response, status, { error: 'no' })
const long = call('open_position', { direction: 'LONG' })

async function withFallback(first: Model, second: Model, limits: Partial<ThinkLimits> = {}) {
  await using provider = await startProvider('openai', first)
  await using other = await startProvider('anthropic', second)
  const outcome = await thinkWith(provider, { fallback: other.access(false), limits })
  return { ...outcome, first: provider.questions, second: other.questions }
}

test('if a provider cannot answer, its fallback is asked once, from the beginning', async () => {
  const failing: [model: Model, limits?: Partial<ThinkLimits>][] = [
    [says(error(429))],
    [says(error(500))],
    [says((response) => void response.socket!.destroy())],
    // Reading has no effect, so the fallback may read again.
    [says({ calls: [call('get_storage'), call('open_position', { direction: 'up' })] }, error(503))],
    [says(() => {}), { callTimeoutMs: 3_000 }],
  ]
  for (const [model, limits] of failing) {
    const { status, second, transcript, actions } = await withFallback(model, says({ calls: [long] }), limits)
    assert.equal(status, 'completed', JSON.stringify(transcript))
    assert.equal(actions.length, 1)
    assert.equal(second[0]!.turn, 0)
    const asked = transcript.filter((entry) => entry.type === 'asked')
    assert.deepEqual(
      asked.map(({ service, fallback }) => [service, fallback]),
      [
        ['OpenAI-compatible', false],
        ['Anthropic', true],
      ],
    )
  }
})

test('if the fallback cannot answer either, the run fails with its error', async () => {
  const { failure, transcript, second } = await withFallback(says(error(500)), says(error(429)))
  assert.equal(failure!.kind, 'rate_limited')
  const failures = transcript.filter((entry) => entry.type === 'failure')
  assert.deepEqual(
    failures.map(({ kind }) => kind),
    ['provider_error', 'rate_limited'],
  )
  assert.equal(second.length, 1)
})

test('after any effect, the fallback is not asked', async () => {
  for (const done of [long, call('set_storage', { value: { a: 1 } })]) {
    const { status, failure, second } = await withFallback(
      says({ calls: [done] }, error(500)),
      says({ calls: [call('open_position', { direction: 'SHORT' })] }),
    )
    assert.equal(status, 'failed')
    assert.equal(failure!.kind, 'provider_error')
    assert.equal(second.length, 0)
  }
})

test('the fallback is not asked if the request itself is at fault', async () => {
  const final: Model[] = [
    says(error(401)),
    says({ end: 'refusal' }),
    says({ calls: [call('open_position', '{')] }),
    says((response) => void response.writeHead(200).end('nonsense')),
    says({ text: 'No.' }),
  ]
  for (const model of final) {
    const { second } = await withFallback(model, says({ calls: [long] }))
    assert.equal(second.length, 0)
  }
})
