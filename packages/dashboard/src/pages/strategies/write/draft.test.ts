import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  begin,
  heard,
  isChanged,
  readDraft,
  readTag,
  type Saved,
  stored,
  tagToSave,
  takeSaved,
} from './draft.ts'

const saved = (version: number, code: string, others = 'x'): Saved => ({
  code,
  etag: `"${version}-${others}"`,
  version,
})
const draft = (text: string, version = 1) => ({ text, version, at: 5 })

test('a draft comes back, unless it says what is saved', () => {
  assert.equal(begin(saved(1, 'a'), draft('b')).text, 'b')
  assert.deepEqual(begin(saved(1, 'a'), draft('b')).restored, draft('b'))
  assert.equal(begin(saved(1, 'a'), draft('a')).restored, null)
  assert.equal(begin(saved(1, 'a'), null).text, 'a')
})

test('a draft of an older version shows the newer one, and a save names the newer one', () => {
  const writing = begin(saved(2, 'theirs'), draft('mine'))
  assert.equal(writing.theirs?.code, 'theirs')
  assert.equal(tagToSave(writing), '"2-x"')
  assert.deepEqual(takeSaved(writing).text, 'theirs')
})

test('a save from elsewhere is taken over at once only if nothing is lost', () => {
  const clean = heard(begin(saved(1, 'a'), null), saved(2, 'b'))
  assert.deepEqual([clean.text, clean.theirs, clean.base.version], ['b', null, 2])
  const written = { ...begin(saved(1, 'a'), null), text: 'mine' }
  const both = heard(written, saved(2, 'b'))
  assert.deepEqual([both.text, both.theirs?.code, both.base.version], ['mine', 'b', 1])
  const later = heard(both, saved(3, 'c'))
  assert.deepEqual([later.text, later.theirs?.code], ['mine', 'c'])
  assert.equal(heard({ ...written, text: 'b' }, saved(2, 'b')).theirs, null)
})

test('other settings that change are no conflict, but the next save names their tag', () => {
  const writing = heard({ ...begin(saved(1, 'a'), null), text: 'mine' }, saved(1, 'a', 'renamed'))
  assert.deepEqual([writing.text, writing.theirs, tagToSave(writing)], ['mine', null, '"1-renamed"'])
})

test('an answer that is older than the save changes nothing', () => {
  const written = { ...begin(saved(1, 'a'), null), text: 'b' }
  const after = stored(written, saved(2, 'b'))
  assert.equal(heard(after, saved(1, 'a')), after)
  assert.equal(isChanged(after), false)
  assert.equal(isChanged({ ...after, text: 'written meanwhile' }), true)
})

test('a save from elsewhere that is newer than the own one stays, whichever answer comes first', () => {
  const written = { ...begin(saved(1, 'a'), null), text: 'mine' }
  const both = stored(heard(written, saved(3, 'theirs')), saved(2, 'mine'))
  assert.deepEqual([both.text, both.base.version, both.theirs?.code], ['mine', 2, 'theirs'])
  const taken = stored(heard(begin(saved(1, 'a'), null), saved(3, 'theirs')), saved(2, 'a'))
  assert.deepEqual([taken.text, taken.base.version, taken.theirs], ['theirs', 3, null])
})

test('a tag says its version, even if a proxy has weakened it', () => {
  assert.deepEqual(readTag('W/"12-abc"'), { etag: '"12-abc"', version: 12 })
  assert.equal(readTag(undefined), null)
  assert.equal(readTag('"abc"'), null)
})

test('what is kept under the name of a draft may be anything', () => {
  assert.deepEqual(readDraft('{"text":"a","version":1,"at":5}'), draft('a'))
  for (const text of [null, '', '{', 'null', '[]', '{"text":1}']) assert.equal(readDraft(text), null)
})
