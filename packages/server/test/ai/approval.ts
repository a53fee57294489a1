import assert from 'node:assert/strict'
import type { ApiAnswer, Client } from '../client.ts'
import { expect, type TestReaction } from '../reaction.ts'
import { makeThinker } from './reaction.ts'
import { call, type StandIn, says } from './stand-in.ts'

export const approvalPath = '/api/v2/approval'

export const open = (direction: string, more = {}) => ({
  calls: [call('open_position', { direction, ...more })],
})
export const exit = { calls: [call('close_position')] }

export type Asker = TestReaction & {
  /** Makes the model request an action, and resolves to the approval that then waits. */
  ask(call: ReturnType<typeof open>): Promise<ApiAnswer['body']>
  signals(): Promise<ApiAnswer['body'][]>
}

/** Creates an AI reaction whose actions wait for approval. */
export async function makeAsker(
  client: Client,
  { provider, setModel }: { provider: StandIn; setModel(model: ReturnType<typeof says>): void },
  fields: Record<string, unknown> = {},
): Promise<Asker> {
  const reaction = await makeThinker(client, provider, { needs_approval: true, ...fields })
  let runs = 0
  return {
    ...reaction,
    ask: async (call) => {
      setModel(says(call, { text: 'I have asked.' }))
      await reaction.post({})
      const ended = await reaction.ended(++runs)
      const run = ended[runs - 1]!
      assert.deepEqual([run.status, run.error, run.signal_id], ['SUCCEEDED', null, null])
      return expect(200, client.api('GET', `${approvalPath}/${run.approval_id}`))
    },
    signals: () => expect(200, client.api('GET', `/api/v2/signal?strategy_id=${reaction.id}`)),
  }
}

export const decide = (client: Client, id: number, what: 'approve' | 'reject') =>
  client.api('POST', `${approvalPath}/${id}/${what}`)
