import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueryClient } from '@tanstack/react-query'
import { watchSilence } from './silence.ts'

test('the service is silent while a read waits too long, and no longer once it is answered', async () => {
  const queries = new QueryClient()
  const silence = watchSilence(queries.getQueryCache())
  const answer = Promise.withResolvers<string>()
  const before = Date.now()
  const reads = Promise.all([
    queries.fetchQuery({ queryKey: ['slow'], queryFn: () => answer.promise }),
    queries.fetchQuery({ queryKey: ['quick'], queryFn: () => 'at once' }),
  ])
  assert.equal(silence.since(Date.now() + 10_000), undefined)
  const since = silence.since(Date.now() + 20_000)
  assert.ok(since !== undefined && since >= before && since <= Date.now())
  answer.resolve('late')
  await reads
  assert.equal(silence.since(Date.now() + 20_000), undefined)
  queries.clear()
})
