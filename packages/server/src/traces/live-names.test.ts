/** Receipts and live events speak of the same records, by the same ids and names. */
import assert from 'node:assert/strict'
import { makeBot } from '../../test/bot.ts'
import type { ApiAnswer } from '../../test/client.ts'
import { keyOf, type LiveEvent, openLive } from '../../test/live.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { withSharedAccount } from '../../test/shared-account.ts'

type Step = ApiAnswer['body']

/** The kinds of live events whose records have steps in a trace, and the field with the id in such a step. */
const kinds = ['delivery', 'run', 'signal', 'bot_signal', 'order', 'fill']

withSharedAccount(
  'each record in a trace has the id and the names of its live event',
  async (account, { url }) => {
    const bot = await makeBot(account)
    const reaction = await makeReaction(account, 'await $.Strategy.action($.Action.LONG)', {
      webhook_id: bot.webhookId,
    })
    await using stream = await openLive(url, `?kind=${kinds.join()}`, { key: await keyOf(account) })
    await reaction.post({})
    // The latest state of each record comes last.
    const events = new Map<string, LiveEvent['data']>()
    const isDone = () => events.get('bot_signal')?.status === 'DONE' && events.get('run')?.finished_at != null
    const isWhole = () => kinds.every((kind) => events.has(kind)) && events.get('order').status === 'FILLED'
    while (!isDone() || !isWhole()) {
      const { kind, data } = await stream.next()
      events.set(kind, data)
    }
    const { steps } = await expect(200, account.api('GET', `/api/v2/run/${events.get('run').id}/trace`))
    for (const kind of kinds) {
      const ids = steps.flatMap((step: Step) => step[`${kind}_id`] ?? [])
      assert.deepEqual([...new Set(ids)], [events.get(kind).id], kind)
    }
    // A step and the record that it is about name each further record by the same field.
    for (const kind of kinds) {
      const record = events.get(kind)
      const about = steps.filter((step: Step) => step[`${kind}_id`] === record.id)
      for (const field of ['strategy_id', 'run_id', 'bot_id', 'signal_id', 'bot_signal_id', 'order_id']) {
        if (record[field] == null) continue
        const named = about.flatMap((step: Step) => step[field] ?? [])
        assert.ok(
          named.every((id: number) => id === record[field]),
          `${kind} ${field}`,
        )
      }
    }
    const settled = steps.find(({ kind, order_id: id }: Step) => kind === 'settled' && id !== undefined)
    assert.match(settled.text, new RegExp(`^The order is ${events.get('order').status}: `))
  },
)
