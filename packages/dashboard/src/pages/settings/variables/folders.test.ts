import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupsOf, knownFolders } from './folders.ts'

const folders = [
  { id: 2, name: 'Bitcoin', parent_id: 1 },
  { id: 1, name: 'Trend', parent_id: null },
  { id: 3, name: 'Alerts', parent_id: null },
]

test('a folder is named with those around it', () => {
  assert.deepEqual(
    knownFolders('Code strategies', folders).map(({ path }) => path),
    ['Alerts', 'Trend', 'Trend / Bitcoin'],
  )
})

test('folders that contain each other, as while one is moved, still have a name', () => {
  const circle = [
    { id: 1, name: 'one', parent_id: 2 },
    { id: 2, name: 'two', parent_id: 1 },
  ]
  for (const { path } of knownFolders('AI reactions', circle)) assert.ok(path.length < 100)
})

test('variables are grouped by where they apply, and none is lost', () => {
  const known = knownFolders('Code reactions', folders)
  const variables = [
    { name: 'B', folder_id: 1 },
    { name: 'LOST', folder_id: 9 },
    { name: 'A', folder_id: 1 },
    { name: 'KEY', folder_id: null },
  ]
  assert.deepEqual(
    groupsOf(variables, known).map(({ title, variables }) => [
      title,
      variables.map(({ name }) => name).join(),
    ]),
    [
      ['Everywhere', 'KEY'],
      ['Code reactions / Trend', 'A,B'],
      ['Folder 9', 'LOST'],
    ],
  )
})
