import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { isInScope } from './key-scopes.ts'

/** Every request line of the API, and its route as Fastify names it. */
async function operations() {
  const { paths } = JSON.parse(
    await readFile(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8'),
  )
  return Object.keys(paths)
    .filter((path) => path.startsWith('/api/v2/'))
    .flatMap((path) => Object.keys(paths[path]).map((method) => [method.toUpperCase(), path] as const))
}

const changes = (await operations()).filter(([method]) => method !== 'GET')
const routeOf = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1')

test('a key that may only read makes every request that reads, and no other', async () => {
  for (const [method, path] of await operations()) {
    assert.equal(isInScope('read', method, routeOf(path)), method === 'GET', `${method} ${path}`)
    assert.ok(isInScope('all', method, routeOf(path)))
  }
})

test('a key for deploying changes strategies, webhooks and test payloads, starts backtests, and does nothing that trades', () => {
  const allowed = changes.filter(([method, path]) => isInScope('deploy', method, routeOf(path)))
  const lines = allowed.map(([method, path]) => `${method} ${path.slice('/api/v2'.length)}`)
  for (const line of lines) {
    assert.match(line, /^\w+ \/(strategy|webhook|test-payload|deploy|backtest)\b/)
    assert.doesNotMatch(
      line,
      /\/(status|public|share|signal|rotate|replay|trigger|reset|store|env|key)(\/|$)/,
    )
  }
  for (const line of [
    'POST /strategy/code',
    'PUT /strategy/reaction/code/{id}',
    'DELETE /strategy/llm-session/{id}',
    'POST /strategy/reaction/llm/folder',
    'POST /strategy/code/{id}/test',
    'POST /strategy/code/test',
    'POST /strategy/code/check',
    'POST /strategy/code/{id}/versions/{version}/restore',
    'POST /webhook/data',
    'PUT /webhook/bot/{id}',
    'POST /test-payload',
    'POST /deploy',
    'POST /backtest',
    'DELETE /backtest/{id}',
  ]) {
    assert.ok(lines.includes(line), line)
  }
  assert.ok(!isInScope('deploy', 'POST', '/api/v2/strategy/code/:id/new-thing'))
  assert.ok(!isInScope('deploy', 'POST', ''))
})
