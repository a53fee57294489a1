import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changed, conflictOf, readDraft, rebased } from './draft.ts'
import { bodyOf, changedFields, fieldsOfKind, newFields, problemsOf } from './fields.ts'

const saved = { fields: { ...newFields('reaction'), name: 'Judge' }, etag: '"1-a"' }

test('a draft begins with the first change, and ends when nothing differs', () => {
  const draft = changed(null, saved, { name: 'Judge 2' }, 5)!
  assert.deepEqual([draft.fields.name, draft.etag, draft.at], ['Judge 2', '"1-a"', 5])
  assert.equal(changed(draft, saved, { name: 'Judge' }, 6), null)
})

test('a draft survives the storage of a browser, and nothing else does', () => {
  const draft = changed(null, saved, { actions: ['LONG'], connection_id: 3 }, 5)!
  assert.deepEqual(readDraft(JSON.stringify(draft)), draft)
  const wrong = { ...draft, fields: { ...draft.fields, prompt: 7 } }
  for (const text of [null, '', '{', '[]', '7', JSON.stringify(wrong), '{"at":1,"etag":null,"fields":{}}'])
    assert.equal(readDraft(text), null)
})

test('changes go on top of what others saved, and only what both changed is a conflict', () => {
  const draft = changed(null, saved, { name: 'Mine', prompt: 'My prompt' }, 5)!
  const now = { fields: { ...saved.fields, name: 'Theirs', max_size: '9' }, etag: '"2-b"' }
  assert.deepEqual(conflictOf(draft, now), { theirs: ['name', 'max_size'], both: ['name'] })
  assert.deepEqual(conflictOf(draft, { ...now, fields: draft.fields }), { theirs: [], both: [] })
  const next = rebased(draft, now)
  assert.equal(next.etag, '"2-b"')
  assert.deepEqual(changedFields(next.fields, now.fields), ['name', 'prompt'])
  assert.equal(next.fields.max_size, '9')
})

test('only the wanted fields are sent, as the API takes them', () => {
  const fields = {
    ...newFields('reaction'),
    ...{ max_size: '', delay: '2', symbol: ' BTCUSDT ', tokens_per_day: '1000' },
  }
  assert.deepEqual(bodyOf(fields, ['max_size', 'delay', 'symbol', 'tokens_per_day', 'actions']), {
    ...{ max_size: null, delay: 2, symbol: 'BTCUSDT', tokens_per_day: 1000 },
    actions: ['LONG', 'SHORT', 'EXIT'],
  })
  assert.deepEqual(problemsOf(fields), {})
  assert.deepEqual(problemsOf({ ...fields, max_size: '1,5', actions_per_day: '' }), {
    max_size: 'Enter a number, or nothing.',
    actions_per_day: 'Enter a number.',
  })
})

test('each kind has the fields of its trigger, and none of the other’s', () => {
  const [ofReaction, ofSession] = [fieldsOfKind('reaction'), fieldsOfKind('session')]
  assert.deepEqual(
    ofReaction.filter((name) => !ofSession.includes(name)),
    ['data_webhook_id', 'delay'],
  )
  assert.deepEqual(
    ofSession.filter((name) => !ofReaction.includes(name)),
    ['cron_interval', 'timezone'],
  )
  assert.deepEqual(bodyOf(newFields('session'), ['cron_interval', 'timezone']), {
    cron_interval: '1H',
    timezone: 'UTC',
  })
})
