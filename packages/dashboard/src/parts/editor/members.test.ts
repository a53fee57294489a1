import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MemberTable } from './editor-types.ts'
import { memberAt, membersBefore } from './members.ts'

const table: MemberTable = {
  Runtime: [
    { name: 'Storage', kind: 'property', type: 'Storage', about: 'One value.' },
    { name: 'log', kind: 'function', type: '(...values: unknown[]): void' },
  ],
  Storage: [{ name: 'get', kind: 'function', type: '(): Promise<any>', about: 'A copy.' }],
}

const names = (before: string) => membersBefore(before, table)?.map(({ name }) => name) ?? null

test('the members of $ and of what it has follow a path, whatever is already written of the name', () => {
  assert.deepEqual(names('$.'), ['Storage', 'log'])
  assert.deepEqual(names('const a = await $.Storage.g'), ['get'])
  assert.deepEqual(names('if (x) $ . Storage ?. '), ['get'])
})

test('nothing follows a path that the table does not know', () => {
  for (const text of ['a$.', 'x.$.', '$.log.', '$.Nothing.', '$.Storage.get().', 'Math.', ''])
    assert.equal(names(text), null, text)
})

test('the member under the pointer is explained', () => {
  const line = 'const a = await $.Storage.get()'
  assert.deepEqual(memberAt(line, line.indexOf('get') + 1, table), {
    from: line.indexOf('get'),
    to: line.indexOf('get') + 3,
    type: 'get: (): Promise<any>',
    about: 'A copy.',
  })
  assert.equal(memberAt(line, line.indexOf('Storage') + 1, table)?.about, 'One value.')
  assert.equal(memberAt(line, 2, table), null)
})
