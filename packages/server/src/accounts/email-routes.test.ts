import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEmbeddedDatabase } from '../../test/databases.ts'
import { startMailbox } from '../../test/mailbox.ts'
import { longPatienceMs } from '../../test/patience.ts'
import { startProcess } from '../../test/process.ts'
import { expect } from '../../test/reaction.ts'
import { until } from '../../test/until.ts'

const path = '/api/v2/user/email'
const password = 'correct horse battery'
const fresh = 'ada@example.com'

test('the administrator replaces admin@localhost, even if the service is killed in between', async () => {
  await using mailbox = await startMailbox()
  await using database = await createEmbeddedDatabase()
  const administrator = { TICKWRIGHT_ADMIN_EMAIL: 'admin@localhost', TICKWRIGHT_ADMIN_PASSWORD: password }
  {
    // The mail server is unreachable, so the mail still waits when the process dies.
    const env = { ...administrator, SMTP_URL: 'smtp://127.0.0.1:1' }
    await using service = await startProcess({ database, env })
    const body = { email: fresh, password }
    assert.equal((await service.send('POST', path, { body })).status, 401)
    const wrong = await service.api('POST', path, { ...body, password: 'wrong' })
    assert.equal(wrong.body.code, 'auth_password')
    const two = await service.api('POST', path, { ...body, email: 'ada@example.com,eve@example.com' })
    assert.equal(two.body.code, 'request_invalid')
    assert.deepEqual(await expect(200, service.api('POST', path, body)), { changed: false })
    await service.killGroup()
  }
  await using service = await startProcess({
    database,
    env: { ...administrator, SMTP_URL: mailbox.url },
  })
  await until('the link', async () => mailbox.to(fresh).length > 0, longPatienceMs)
  const token = /\/email#([\w-]{43})/.exec(mailbox.to(fresh)[0]!.text!)![1]!
  assert.equal((await service.api('GET', '/api/v2/user/me')).body.email, 'admin@localhost')
  assert.deepEqual(await expect(200, service.send('PUT', path, { body: { token } })), { email: fresh })
  assert.equal((await service.send('PUT', path, { body: { token } })).body.code, 'token_invalid')
  const signIn = { body: { email: fresh, password } }
  assert.equal((await expect(200, service.send('POST', '/api/v2/user/session', signIn))).email, fresh)

  const isTold = async () => {
    const mails: { kind: string; status: string }[] = await expect(
      200,
      service.api('GET', '/api/v2/user/mail'),
    )
    return mails.every(({ status }) => status === 'FAILED')
  }
  await until('both mails to admin@localhost to fail', isTold)
  assert.deepEqual(mailbox.to('admin@localhost'), [])
})

test('without a mail server, an address changes at once', async () => {
  await using service = await startProcess({ env: { TICKWRIGHT_ADMIN_PASSWORD: password } })
  assert.deepEqual(await expect(200, service.api('POST', path, { email: fresh, password })), {
    changed: true,
  })
  assert.equal((await service.api('GET', '/api/v2/user/me')).body.email, fresh)
})
