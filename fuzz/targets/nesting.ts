import assert from 'node:assert/strict'
import { nestsDeeperThan } from '../../packages/server/src/mcp/nesting.ts'
import { textTarget } from '../target.ts'

/** Tells the depth of a value as brackets that are open at once do. */
export default textTarget({
  seeds: ['1', '[]', '{"a":[{"b":[[]]}]}', '[[[[[[[[]]]]]]]]', '{"a":"[[["}', '[1,[2,[3]],{}]'],
  words: ['[', ']', '{"a":', '}', ',', '"[', '\\"', '[[[[[[[['],
  check: (text) => {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      return
    }
    const depth = depthOf(text)
    for (const limit of [0, 1, 5, depth - 1, depth, depth + 1].filter((one) => one >= 0)) {
      // A name that comes twice hides what the first one held.
      if (
        new Set(text.match(/"(?:[^"\\]|\\.)*"\s*:/g)).size ===
        (text.match(/"(?:[^"\\]|\\.)*"\s*:/g) ?? []).length
      ) {
        assert.equal(nestsDeeperThan(value, limit), depth > limit, `depth ${depth}, limit ${limit}`)
      } else if (nestsDeeperThan(value, limit)) assert.ok(depth > limit)
    }
  },
})

function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  for (const [mark] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (mark === '[' || mark === '{') deepest = Math.max(deepest, ++depth)
    else if (mark === ']' || mark === '}') depth--
  }
  return deepest
}
