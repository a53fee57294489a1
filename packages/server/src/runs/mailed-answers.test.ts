/** Answers of models that go to the owner by mail. */
import assert from 'node:assert/strict'
import { makeThinker } from '../../test/ai/reaction.ts'
import { withProvider } from '../../test/ai/service.ts'
import { answerJson, says } from '../../test/ai/stand-in.ts'
import type { ApiAnswer, Client } from '../../test/client.ts'
import { expect } from '../../test/reaction.ts'

/** The answers in the account's mail, oldest first. */
async function mailed(account: Client): Promise<ApiAnswer['body'][]> {
  const mails = await expect(200, account.api('GET', '/api/v2/user/mail'))
  return mails.filter(({ kind }: { kind: string }) => kind === 'answer').reverse()
}

withProvider(
  'the owner of a strategy with send_email gets each answer by mail, once',
  async ({ account, other, provider, setModel }) => {
    const reaction = await makeThinker(account, provider, { name: 'Judge', send_email: true })
    setModel(says({ text: 'Hold.\nhttps://evil.example' }))
    await reaction.post({})
    const [run] = await reaction.ended(1)
    const [mail, ...more] = await mailed(account)
    assert.deepEqual(more, [])
    assert.equal(mail.subject, 'Strategy "Judge" has answered')
    assert.match(mail.text, new RegExp(`"Judge" \\(id ${reaction.id}\\) answered in run ${run.id} at `))
    assert.ok(mail.text.endsWith('\n\n> Hold.\n> https://evil.example'), mail.text)
    assert.deepEqual(await mailed(other), [])

    await expect(200, account.api('PUT', reaction.own, { send_email: false }))
    await reaction.post({})
    await reaction.ended(2)
    assert.equal((await mailed(account)).length, 1)
  },
)

withProvider('a run that fails, and a test run, mail no answer', async ({ account, provider, setModel }) => {
  const reaction = await makeThinker(account, provider, { send_email: true })
  setModel(says((response) => answerJson(response, 400, { error: 'no' })))
  await reaction.post({})
  assert.equal((await reaction.ended(1))[0].status, 'FAILED')
  setModel(says({ text: 'Only a test.' }))
  await expect(200, account.api('POST', `${reaction.own}/test`, {}))
  assert.deepEqual(await mailed(account), [])
})

withProvider('a long answer is cut to what a mail has room for', async ({ account, provider, setModel }) => {
  const reaction = await makeThinker(account, provider, { send_email: true })
  setModel(says({ text: `\0${provider.key} ${'x'.repeat(20_000)}` }))
  await reaction.post({})
  await reaction.ended(1)
  const [{ text }] = await mailed(account)
  const quoted = text.slice(text.indexOf('> ') + 2)
  assert.match(quoted, /^.\[secret\] x+$/)
  assert.equal(quoted.length, 16_000)
})
