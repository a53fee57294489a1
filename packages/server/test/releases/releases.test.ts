/** This version opens the data of every release, and reads of it what that release read. */
import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { test } from 'node:test'
import { createDatabase } from '../backups.ts'
import { emptyFolder } from '../embedded.ts'
import { common, differences } from './answers.ts'
import { carryOut, filesOf, keptVersions, readKept, withKept } from './kept.ts'

/** What each release has at least one of. */
const contents = [
  ...['env', 'api/key', 'api/exchange', 'api/llm', 'user'],
  ...['webhook/data', 'webhook/bot', 'test-payload', 'strategy/reaction/code/folder'],
  ...['strategy/code', 'strategy/reaction/code', 'strategy/reaction/llm', 'strategy/llm-session'],
  ...['bot/signal/cex', 'bot/signal/prediction', 'bot/signal/dex', 'delivery', 'run', 'signal', 'bot-signal'],
  ...[
    'order',
    'fill',
    'position',
    'trade',
    'payment',
    'chat/link',
    'candle',
    'backtest',
    'backtest/1/report',
    'backtest/1/candle',
  ],
  ...['backtest/2/sweep', 'approval', 'webhook/data/1/shares', 'webhook/bot/1/shares'],
]

for (const version of await keptVersions()) {
  test(`the data of ${version} opens, and everything in it is read as it was then`, async () => {
    const kept = await readKept(version)
    await using folder = await emptyFolder()
    await using database = await createDatabase('nothing')
    const place = { dataDir: folder.path, databaseUrl: database.url }
    await carryOut(place, kept, ['restore', filesOf(version).backup])
    const lost = await withKept(place, kept, async (client) => {
      const found: string[] = []
      for (const [path, answer] of Object.entries(kept.answers)) {
        const { status, body } = await client.api('GET', path)
        found.push(...(status === 200 ? differences(answer, body, path) : [`${path}: ${status}`]))
      }
      return found
    })
    assert.deepEqual(lost, [])
  })

  test(`the data of ${version} has one of everything, and is small`, async () => {
    const { answers } = await readKept(version)
    const { backup, kept } = filesOf(version)
    for (const file of [backup, kept]) assert.ok((await stat(file)).size < 500_000, file)
    const isThere = (path: string) => JSON.stringify(answers[`/api/v2/${path}`] ?? []).length > 50
    assert.deepEqual(
      contents.filter((path) => !isThere(path)),
      [],
    )
  })
}

test('an answer may have more than it had, and not less', () => {
  const was = { id: 1, tags: ['a', { b: null }] }
  assert.deepEqual(differences(was, { ...was, more: 1 }), [])
  assert.deepEqual(differences(was, { id: 1, tags: ['a', {}] }, 'x'), ['x.tags.1.b: null became undefined'])
  assert.deepEqual(differences(was, { id: 2, tags: [] }), [
    '.id: 1 became 2',
    '.tags: ["a",{"b":null}] became []',
  ])
  assert.deepEqual(common({ id: 1, at: 5, list: [1, 2] }, { id: 1, at: 6, list: [1, 3] }), {
    id: 1,
    list: [1, {}],
  })
})
