/** What an account does with most things: makes, finds, changes, counts and copies them. */
import assert from 'node:assert/strict'
import type { Walk } from './walk.ts'

export type Fields = Record<string, unknown>

/** Creates a record, and finds it in the list and by its id. */
export async function thing(walk: Walk, path: string, body: Fields, change: Fields = { name: 'Größer' }) {
  const made = await walk.create(path, body)
  const own = `${path}/${made.id}`
  const listed = await walk.list(path)
  assert.ok(listed.some(({ id }) => id === made.id))
  if (has(walk, 'GET', own)) assert.equal((await walk.expect(200, 'GET', own)).id, made.id)
  if (has(walk, 'PUT', own)) assert.partialDeepStrictEqual(await walk.expect(200, 'PUT', own, change), change)
  if (has(walk, 'PUT', `${own}/status`)) {
    for (const status of ['INACTIVE', 'ACTIVE']) await walk.expect(200, 'PUT', `${own}/status`, { status })
  }
  return made
}

export async function countedAndCopied(walk: Walk, path: string) {
  const id = walk.ids.get(path)!
  const copy = await walk.expect(201, 'POST', `${path}/duplicate`, { id })
  assert.notEqual(copy.id, id)
  assert.deepEqual(await walk.expect(200, 'GET', `${path}/total`), { total: 2 })
  if (path.startsWith('/strategy/')) await published(walk, path, copy.id)
  await walk.delete(`${path}/${copy.id}`)
}

async function published(walk: Walk, path: string, id: number) {
  await walk.expect(200, 'PUT', `${path}/${id}`, { visibility: 'PUBLIC' })
  assert.ok((await walk.list(`${path}/public`)).some((each) => each.id === id))
  assert.equal((await walk.expect(200, 'GET', `${path}/public/${id}`)).id, id)
  walk.ids.set(`${path}/public`, walk.ids.get(path)!)
  const shown = await walk.expect(200, 'PUT', `${path}/${id}/public`, { isPublic: false })
  assert.deepEqual([shown.visibility, shown.message], ['PRIVATE', 'Success'])
}

function has(walk: Walk, method: string, path: string): boolean {
  try {
    return walk.find(method, path) !== undefined
  } catch {
    return false
  }
}
