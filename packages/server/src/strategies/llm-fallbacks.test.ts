/** The fallback that an AI strategy names, instead of that of its connection. */
import assert from 'node:assert/strict'
import { llmPath, makeAiConnection, makeThinker } from '../../test/ai/reaction.ts'
import { withProvider } from '../../test/ai/service.ts'
import { answerJson, type Model } from '../../test/ai/stand-in.ts'
import type { Client } from '../../test/client.ts'
import { expect } from '../../test/reaction.ts'

/** Fails, and answers the question after that. */
function failsOnce(): Model {
  let questions = 0
  return () =>
    questions++ === 0 ? (response) => answerJson(response, 500, { error: 'no' }) : { text: 'Hold.' }
}

/** The models that the latest run asked, in order. */
async function askedBy(account: Client, run: { id: number }): Promise<string[]> {
  const { transcript } = await expect(200, account.api('GET', `/api/v2/run/${run.id}`))
  return transcript.flatMap(({ type, model }: { type: string; model: string }) =>
    type === 'asked' ? [model] : [],
  )
}

withProvider(
  'the fallback of a strategy is asked instead of that of its connection, also in a test run',
  async ({ account, provider, setModel }) => {
    const [own, common] = [
      await makeAiConnection(account, provider, { model: 'own' }),
      await makeAiConnection(account, provider, { model: 'common' }),
    ]
    const connection_id = await makeAiConnection(account, provider, { fallback_id: common })
    const reaction = await makeThinker(account, provider, { connection_id, fallback_id: own })
    const run = async (count: number) => {
      setModel(failsOnce())
      await reaction.post({})
      return askedBy(account, (await reaction.ended(count)).at(-1)!)
    }
    assert.deepEqual(await run(1), ['stand-in', 'own'])
    setModel(failsOnce())
    const { transcript } = await expect(200, account.api('POST', `${reaction.own}/test`, {}))
    assert.ok(transcript.some(({ model }: { model?: string }) => model === 'own'))
    const unsaved = (fallback_id: number) =>
      account.api('POST', `${llmPath}/test`, { prompt: 'Think.', connection_id, fallback_id })
    setModel(failsOnce())
    const tried = (await expect(200, unsaved(own))).transcript
    assert.ok(tried.some(({ model }: { model?: string }) => model === 'own'))
    for (const wrong of [connection_id, 999_999]) {
      assert.equal((await expect(400, unsaved(wrong))).details[0].field, 'body.fallback_id')
    }
    await expect(200, account.api('PUT', reaction.own, { fallback_id: null }))
    assert.deepEqual(await run(2), ['stand-in', 'common'])

    const { changed } = (await expect(200, account.api('GET', `${reaction.own}/versions`)))[0]
    assert.deepEqual(changed, ['fallback_id'])
    await expect(200, account.api('PUT', reaction.own, { fallback_id: own }))
    const used = await expect(409, account.api('DELETE', `/api/v2/api/llm/${own}`))
    assert.deepEqual(used.details[0].message, `AI reaction ${reaction.id}`)
    const copy = await expect(201, account.api('POST', `${llmPath}/duplicate`, { id: reaction.id }))
    assert.equal(copy.fallback_id, own)
  },
)

withProvider("a fallback is another connection, and never another user's", async (given) => {
  const { account, other, provider } = given
  const [mine, theirs] = [await makeAiConnection(account, provider), await makeAiConnection(other, provider)]
  const reaction = await makeThinker(account, provider)
  const refused = async (fields: object) => {
    const answers = [account.api('POST', llmPath, fields), account.api('PUT', reaction.own, fields)]
    for (const answer of answers) {
      const { details } = await expect(400, answer)
      assert.equal(details[0].field, 'body.fallback_id')
    }
  }
  await refused({ fallback_id: theirs })
  await refused({ fallback_id: 999_999 })
  await refused({ connection_id: mine, fallback_id: mine })
  await expect(200, account.api('PUT', reaction.own, { fallback_id: mine, visibility: 'PUBLIC' }))
  const copy = await expect(201, other.api('POST', `${llmPath}/duplicate`, { id: reaction.id }))
  assert.deepEqual([copy.connection_id, copy.fallback_id], [null, null])
})
