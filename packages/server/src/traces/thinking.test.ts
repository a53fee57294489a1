/** The receipts of runs that ask a model. */
import assert from 'node:assert/strict'
import { makeThinker } from '../../test/ai/reaction.ts'
import { withProvider } from '../../test/ai/service.ts'
import { call, says } from '../../test/ai/stand-in.ts'
import { makeBot } from '../../test/bot.ts'
import { expect } from '../../test/reaction.ts'
import { until } from '../../test/until.ts'

type Step = { kind: string; text: string }

withProvider(
  'the trace of an AI reaction goes from its prompt through the approval to the order',
  async ({ account, provider, setModel }) => {
    const bot = await makeBot(account)
    const settings = { webhook_id: bot.webhookId, needs_approval: true }
    const reaction = await makeThinker(account, provider, settings)
    setModel(says({ calls: [call('open_position', { direction: 'LONG' })] }, { text: 'Asked.' }))
    await reaction.post({ rsi: 'low' })
    const [run] = await reaction.ended(1)
    const trace = () => expect(200, account.api('GET', `/api/v2/run/${run.id}/trace`))
    const waiting = await trace()
    assert.equal(waiting.run.approval_id, run.approval_id)
    assert.match(waiting.outcome.reasons.join(), /not sent before its owner approves it/)
    await expect(200, account.api('POST', `/api/v2/approval/${run.approval_id}/approve`))
    await bot.followed(1)
    const { steps, outcome } = await trace()
    const wanted = ['queued', 'started', 'prompt', 'asked', 'reply', 'call', 'approval', 'decision', 'signal']
    const kinds: string[] = steps.map(({ kind }: Step) => kind)
    assert.deepEqual(
      kinds.filter((kind, index) => wanted.includes(kind) && kinds.indexOf(kind) === index),
      wanted,
    )
    assert.deepEqual([outcome.reasons, kinds.includes('fill')], [[], true])
    assert.ok(!JSON.stringify(steps).includes(provider.key))
  },
)

withProvider('an approval that its owner rejects is the reason why nothing was sent', async (context) => {
  const { account, provider, setModel } = context
  const reaction = await makeThinker(account, provider, { needs_approval: true })
  setModel(says({ calls: [call('open_position', { direction: 'LONG' })] }, { text: 'Asked.' }))
  await reaction.post({})
  const [run] = await reaction.ended(1)
  await expect(200, account.api('POST', `/api/v2/approval/${run.approval_id}/reject`))
  await until('the trace to show the decision', async () => {
    const { outcome } = await expect(200, account.api('GET', `/api/v2/run/${run.id}/trace`))
    return outcome.reasons.includes('The owner rejected the action. So it was not sent.')
  })
})
