/** What the service keeps of the question that a model was asked. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { eq } from 'drizzle-orm'
import { makeAiConnection, makeThinker } from '../../test/ai/reaction.ts'
import { withProvider } from '../../test/ai/service.ts'
import { answerJson, call, says } from '../../test/ai/stand-in.ts'
import { fileResources } from '../../test/databases.ts'
import { expect } from '../../test/reaction.ts'
import { runTranscripts } from '../db/schema.ts'
import { storageDigest } from './transcript-basis.ts'

withProvider(
  'a transcript has the digests of its question and of what was stored, and what the prompt shows besides',
  async ({ account, provider, providers, setModel, database }) => {
    const { db } = await database.open(fileResources)
    const basisOf = async (run: { id: number }) => {
      const [row] = await db.select().from(runTranscripts).where(eq(runTranscripts.runId, run.id))
      return row!.basis
    }
    const prompt = 'Last: {{last_trigger_action}}. {{data}}'
    const reaction = await makeThinker(account, provider, { prompt })
    setModel(says({ calls: [call('set_storage', { value: { seen: 1 } }), call('close_position')] }))
    await reaction.post({})
    const [first] = await reaction.ended(1)
    setModel(says({ calls: [call('get_positions')] }))
    await reaction.post({})
    const [, second] = await reaction.ended(2)
    const [one, two] = [await basisOf(first), await basisOf(second)]
    const { question, ...facts } = one!
    assert.match(question, /^[0-9a-f]{64}$/)
    const [nothing, seen] = [storageDigest(null), storageDigest('{"seen":1}')]
    const quiet = { prices: [], asksBots: false }
    assert.deepEqual(facts, { storage: nothing, kept: seen, lastAction: null, ...quiet })
    const later = { storage: seen, kept: seen, lastAction: 'EXIT', prices: [], asksBots: true }
    assert.deepEqual(two, { question, ...later })
    const questions = [question]
    setModel(says({ text: 'Nothing.' }))
    for (const change of [{ tools: ['get_price'] }, { prompt: 'Judge {{data}}' }, { actions: ['LONG'] }]) {
      await expect(200, account.api('PUT', reaction.own, change))
      await reaction.post({})
      const runs = await reaction.ended(questions.length + 2)
      questions.push((await basisOf(runs.at(-1)))!.question)
    }
    assert.equal(new Set(questions).size, 4)
    const fallback_id = await makeAiConnection(account, providers.anthropic)
    await expect(200, account.api('PUT', reaction.own, { fallback_id }))
    let asked = 0
    setModel(() => (asked++ === 0 ? failing : { text: 'Nothing.' }))
    await reaction.post({})
    const last = (await reaction.ended(6)).at(-1)
    assert.deepEqual([last.status, await basisOf(last)], ['SUCCEEDED', null])
  },
)

const failing = (response: ServerResponse) => answerJson(response, 503, { error: 'no' })
