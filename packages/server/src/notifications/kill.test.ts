import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addUsers } from '../../test/accounts.ts'
import { createEmbeddedDatabase } from '../../test/databases.ts'
import { startMailbox } from '../../test/mailbox.ts'
import { startProcess } from '../../test/process.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { startReceivers } from '../../test/receiver.ts'
import { startService } from '../../test/service.ts'
import { until } from '../../test/until.ts'

test('a process that is killed while it sends loses no mail and no notification', async () => {
  await using database = await createEmbeddedDatabase()
  const [key] = await addUsers(database, ['killed@example.com'])
  await using receivers = await startReceivers()
  const receiver = receivers.add(() => undefined)
  const hanging = Promise.withResolvers<void>()
  // Receives a mail and never answers, so its outcome is unknown.
  await using deaf = await startMailbox(() => {
    hanging.resolve()
    return new Promise(() => undefined)
  })
  await using mailbox = await startMailbox()
  const env = { HTTP_ALLOW: receivers.host }
  {
    await using service = await startProcess({ database, env: { ...env, SMTP_URL: deaf.url } })
    const client = service.as(key!)
    const settings = { url: receiver.url, events: ['signal.created'] }
    await expect(201, client.api('POST', '/api/v2/notification/endpoint', settings))
    const code = 'await $.Strategy.action($.Action.LONG); await $.Strategy.stop(true)'
    const reaction = await makeReaction(client, code)
    await reaction.post({})
    await hanging.promise
    await until('a notification under way', async () => receiver.received.length === 1)
    await service.killGroup()
  }
  receiver.answers(204)
  await using service = await startService({ database, env: { ...env, SMTP_URL: mailbox.url } })
  const client = service.as(key!)
  await until('the mail', async () => mailbox.to('killed@example.com').length === 1)
  await until('the notification', async () => receiver.received.length === 2)
  const [first, second] = receiver.received
  assert.equal(first!.headers['webhook-id'], second!.headers['webhook-id'])
  await until('the records', async () => {
    const [mail] = await expect(200, client.api('GET', '/api/v2/user/mail'))
    const [notification] = await expect(200, client.api('GET', '/api/v2/notification'))
    return mail.status === 'SENT' && notification.deliveries[0].status === 'DELIVERED'
  })
})
