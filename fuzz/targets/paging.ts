import assert from 'node:assert/strict'
import fc from 'fast-check'
import { compilersFactory } from '../../packages/server/src/http/compilers.ts'
import { answerPage, plainListLimit } from '../../packages/server/src/http/paging.ts'
import { PageQuery } from '../../packages/server/src/http/schemas.ts'
import { valuesTarget } from '../target.ts'

const compile = compilersFactory!.buildValidator!({}, {} as never)
const validate = compile({ schema: PageQuery, httpPart: 'querystring' } as never)
const word = fc.oneof(
  fc.integer().map(String),
  fc.double().map(String),
  fc.string(),
  fc.constantFrom('1e3', '0x1', '', ' 1', '01', '1000000', '200'),
)
const value = fc.oneof(word, fc.array(word, { maxLength: 2 }))

/** An accepted query gives a window that a database accepts, and never more than a list may have. */
export default valuesTarget(
  fc.record({
    query: fc.record({ page: value, limit: value }, { requiredKeys: [] }) as fc.Arbitrary<object>,
    count: fc.nat({ max: 2_000 }),
  }),
  async ({ query, count }) => {
    if (!validate(query)) return
    const items = Array.from({ length: count }, (_, index) => index)
    const page = await answerPage(query as Parameters<typeof answerPage>[0], {
      count: async () => count,
      list: async ({ limit, offset }) => {
        assert.ok(Number.isSafeInteger(limit) && limit >= 1 && limit <= plainListLimit, `limit ${limit}`)
        assert.ok(Number.isSafeInteger(offset) && offset >= 0 && offset < 2 ** 31, `offset ${offset}`)
        return items.slice(offset, offset + limit)
      },
    })
    if (Array.isArray(page)) return assert.equal(page.length, Math.min(count, plainListLimit))
    assert.equal(page.total, count)
    assert.equal(page.items.length, Math.max(0, Math.min(page.limit, count - (page.page - 1) * page.limit)))
  },
)
