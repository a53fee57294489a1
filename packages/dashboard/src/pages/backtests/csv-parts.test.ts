import assert from 'node:assert/strict'
import { test } from 'node:test'
import { partsOf } from './csv-parts.ts'

test('a short file is one part', () => {
  assert.deepEqual([...partsOf('time,open\n1,2\n')], [{ csv: 'time,open\n1,2\n', firstLine: 2 }])
  assert.deepEqual([...partsOf('')], [{ csv: '', firstLine: 2 }])
})

test('the parts of a long file have whole lines, each once and in order, with their numbers', () => {
  const lines = Array.from({ length: 100 }, (_, index) => `${index},${'9'.repeat(index % 13)}`)
  for (const most of [1, 7, 40, 1000]) {
    for (const end of ['', '\n']) {
      const parts = [...partsOf(`head\n${lines.join('\n')}${end}`, most)]
      const seen = parts.flatMap(({ csv, firstLine }) => {
        const [head, ...rest] = csv.split('\n')
        assert.equal(head, 'head')
        const own = rest.filter((line) => line !== '')
        assert.equal(own[0], lines[firstLine - 2])
        return own
      })
      assert.deepEqual(seen, lines)
      assert.ok(most < 1000 || parts.length === 1)
    }
  }
})
