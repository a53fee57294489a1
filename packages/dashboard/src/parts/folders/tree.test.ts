import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AnyFolder, countsOf, idsWithin, isInFolder, readFolder, totalsOf, treeOf } from './tree.ts'

const folder = (id: number, name: string, parent_id: number | null = null): AnyFolder => ({
  id,
  name,
  parent_id,
})
const folders = [folder(4, 'Old', 2), folder(1, 'Trend'), folder(2, 'Range'), folder(3, 'Very old', 4)]

test('each folder comes before those within it, with its path and depth', () => {
  assert.deepEqual(
    treeOf(folders).map(({ path, depth }) => `${depth} ${path}`),
    ['0 Range', '1 Range / Old', '2 Range / Old / Very old', '0 Trend'],
  )
})

test('a folder contains those within it at any depth', () => {
  assert.deepEqual([...idsWithin(folders, 2)], [2, 4, 3])
  assert.deepEqual([...idsWithin(folders, 1)], [1])
})

test('the number of a folder includes those within it', () => {
  const counts = new Map([
    [null, 5],
    [2, 1],
    [3, 4],
  ])
  const totals = totalsOf(treeOf(folders), counts)
  assert.deepEqual([...totals].sort(), [
    [1, 0],
    [2, 5],
    [3, 4],
    [4, 4],
  ])
})

test('an address chooses a folder, all of them, or what is in none', () => {
  for (const [text, chosen] of [
    ['none', 'none'],
    [2, 2],
    ['2', 2],
    [undefined, undefined],
    ['', undefined],
    [-1, undefined],
    [1.5, undefined],
    ['x', undefined],
  ] as const)
    assert.equal(readFolder(text), chosen)
  const items = [{ folder_id: null }, { folder_id: 3 }, { folder_id: 1 }]
  const found = (chosen: ReturnType<typeof readFolder>) => items.filter(isInFolder(folders, chosen))
  assert.deepEqual([found(undefined), found('none'), found(2)], [items, [items[0]], [items[1]]])
  assert.deepEqual(
    [...countsOf(items)],
    [
      [null, 1],
      [3, 1],
      [1, 1],
    ],
  )
})
