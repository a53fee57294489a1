import assert from 'node:assert/strict'
import type { ApiAnswer } from '../../test/client.ts'
import { type TestUser, withGroup } from '../../test/group.ts'
import { expect } from '../../test/reaction.ts'
import { signUpBrowser } from '../../test/users.ts'

const kinds = ['/api/v2/webhook/data', '/api/v2/webhook/bot']
const nobody = 987_654_321

/** An answer with placeholders for ids and times, so that two answers can be compared. */
function shapeOf({ status, headers, body }: ApiAnswer, userId: number) {
  const { request_id: _, ...rest } = body
  const text = JSON.stringify(rest)
    .replaceAll(/"(created_at|updated_at|url)":"[^"]*"/g, '$1')
    .replaceAll(new RegExp(`(?<="user_id":|user )${userId}\\b`, 'g'), 'USER')
  const names = [...headers.keys()].filter((name) => name !== 'content-length')
  return { status, text, names }
}

/** Every request about one user that an owner of a webhook can make. */
async function probe(owner: TestUser, path: string, userId: number) {
  const { id } = await expect(201, owner.api('POST', path, { name: 'bait' }))
  const target = `${path}/share/${id}`
  const ask = async (method: string, where: string, body?: unknown) =>
    shapeOf(await owner.api(method, where, body), userId)
  const answers = [
    await ask('GET', `${path}/shared/with/${userId}`),
    await ask('GET', `${path}/shared/by/${userId}`),
    await ask('DELETE', target, { userId }),
    await ask('POST', target, { userId }),
    await ask('POST', target, { userId }),
    await ask('GET', `${path}/${id}/shares`),
    await ask('GET', `${path}/${id}/shares?page=1&limit=1`),
    await ask('GET', `${path}/shared/with/${userId}`),
    await ask('GET', `${path}/shared/by/${userId}`),
    await ask('DELETE', `${target}?userId=${userId}`),
    await ask('DELETE', `${target}?userId=${userId}`),
    await ask('POST', target, { userId }),
    await ask('DELETE', `${path}/${id}`),
  ]
  return answers.map(({ text, ...rest }) => ({ ...rest, text: text.replaceAll(/\b\d+\b/g, 'N') }))
}

withGroup('no answer about shares tells whether a user exists', async ({ owner, guest }) => {
  for (const path of kinds) {
    const known = await probe(owner, path, guest.id)
    assert.deepEqual(await probe(owner, path, nobody), known)
    assert.deepEqual(
      known.map(({ status }) => status),
      [200, 200, 404, 201, 200, 200, 200, 200, 200, 200, 404, 201, 200],
    )
  }
})

withGroup(
  'a share with no user does not belong to the user who gets the id later',
  async ({ service, owner }) => {
    const nextId = 1 + Math.max(...(await expect(200, service.api('GET', '/api/v2/user'))).map(idOf))
    for (const path of kinds) {
      const { id } = await expect(201, owner.api('POST', path, {}))
      await expect(201, owner.api('POST', `${path}/share/${id}`, { userId: nextId }))
    }
    const { api: asNewcomer, user } = await signUpBrowser(service, 'newcomer@example.com')
    assert.equal(user.id, nextId)
    for (const path of kinds) {
      assert.deepEqual(await expect(200, asNewcomer('GET', `${path}/shared`)), [])
      const [{ id }] = await expect(200, owner.api('GET', `${path}/shared/with/${nextId}`))
      // The same request as before, but now the user exists.
      await expect(200, owner.api('POST', `${path}/share/${id}`, { userId: nextId }))
      assert.deepEqual((await expect(200, asNewcomer('GET', `${path}/shared`))).map(idOf), [id])
    }

    await expect(200, service.api('DELETE', `/api/v2/user/${nextId}`))
    for (const path of kinds) {
      const [webhook] = await expect(200, owner.api('GET', `${path}/shared/with/${nextId}`))
      const shares = await expect(200, owner.api('GET', `${path}/${webhook.id}/shares`))
      assert.deepEqual(
        shares.map(({ user_id }: { user_id: number }) => user_id),
        [nextId],
      )
      await expect(200, owner.api('DELETE', `${path}/share/${webhook.id}?userId=${nextId}`))
      await expect(200, owner.api('DELETE', `${path}/${webhook.id}`))
    }
  },
)

withGroup('the URL of a deleted user leads nowhere', async ({ service, owner }) => {
  const { api: asLeaver, user: leaver } = await signUpBrowser(service, 'leaver@example.com')
  for (const path of kinds) {
    const { id } = await expect(201, owner.api('POST', path, {}))
    await expect(201, owner.api('POST', `${path}/share/${id}`, { userId: leaver.id }))
  }
  const urls: string[] = []
  for (const path of kinds) urls.push((await expect(200, asLeaver('GET', `${path}/shared`)))[0].url)
  const post = (url: string) =>
    service.send('POST', new URL(url).pathname, { body: { symbol: 'BTCUSDT', side: 'BUY' } })
  for (const url of urls) await expect(202, post(url))
  await expect(200, service.api('DELETE', `/api/v2/user/${leaver.id}`))
  for (const url of urls) await expect(404, post(url))
})

const idOf = ({ id }: { id: number }) => id
