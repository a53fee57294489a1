import assert from 'node:assert/strict'
import { test } from 'node:test'
import { read } from '../../../test/repository.ts'
import { createClient } from '../src/index.ts'
import { namespaces } from '../src/namespaces.ts'

type Tree = { readonly [name: string]: string | Tree }

/** Each method of the client by its full name, with its request line. */
function methodsOf(tree: Tree, prefix = ''): [name: string, line: string][] {
  return Object.entries(tree).flatMap(([name, entry]) =>
    typeof entry === 'string' ? [[prefix + name, entry]] : methodsOf(entry, `${prefix}${name}.`),
  )
}

const methods = methodsOf(namespaces)

type OpenApi = { paths: Record<string, Record<string, { security?: object[]; deprecated?: boolean }>> }

async function signedOperations(): Promise<string[]> {
  const { paths } = JSON.parse(await read('docs/openapi.json')) as OpenApi
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(
        ([, { security = [], deprecated }]) => !deprecated && security.some((each) => 'signature' in each),
      )
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  )
}

test('each signed operation has one method, and each method an operation', async () => {
  const lines = methods.map(([, line]) => line.replace('?{query}', '').replace(' {body}', ''))
  // The stream has a method of its own: it is no request with one answer.
  const operations = (await signedOperations()).filter((line) => line !== 'GET /api/v2/live')
  const missing = operations.filter((operation) => !lines.includes(operation))
  assert.deepEqual(missing, [], 'Give each a name in packages/client/src/namespaces.ts.')
  const extra = lines.filter((line, index) => !operations.includes(line) || lines.indexOf(line) !== index)
  assert.deepEqual(extra, [])
})

test('each verb has one meaning everywhere', () => {
  const verbs: Record<string, RegExp> = {
    list: /^GET [^{]+(\?\{query\})?$/,
    get: /^GET /,
    create: /^POST [^{]+ \{body\}$/,
    update: /^PUT .* \{body\}$/,
    delete: /^DELETE .*\/\{\w+\}(\?\{query\})?( \{body\})?$/,
    total: /^GET [^{]+\/total$/,
    duplicate: /^POST .*\/duplicate \{body\}$/,
    setStatus: /^PUT .*\/\{id\}\/status \{body\}$/,
  }
  for (const [name, line] of methods) assert.match(line, verbs[name.split('.').at(-1)!] ?? /./, name)
  for (const verb of Object.keys(verbs))
    assert.ok(
      methods.some(([name]) => name.endsWith(`.${verb}`)),
      verb,
    )
})

test('each method sends its own operation, even if called without its namespace', async () => {
  const sent: string[] = []
  const send = async ({ method, url }: { method: string; url: string }) => {
    sent.push(`${method} ${new URL(url).pathname}`)
    return { status: 200, text: '{}' }
  }
  const client = createClient({ baseUrl: 'https://service.example', apiKey: 'k', sign: () => 's', send })
  for (const [name, line] of methods) {
    // biome-ignore lint/suspicious/noExplicitAny: by its name alone
    const method = name.split('.').reduce((space: any, part) => space[part], client)
    const places = [...line.matchAll(/\{(\w+)\}/g)].map(([, place]) => place!)
    await method(...places.map((place) => (place === 'query' || place === 'body' ? {} : 7)))
    const path = line.split(' ')[1]!.replace('?{query}', '')
    assert.equal(sent.at(-1), `${line.split(' ')[0]} ${path.replaceAll(/\{\w+\}/g, '7')}`, name)
  }
})

test('a namespace is created once, lists its members, and cannot be changed', () => {
  const send = async () => ({ status: 200, text: '{}' })
  const client = createClient({ baseUrl: 'https://service.example', apiKey: 'k', sign: () => 's', send })
  assert.equal(client.strategies.code.folders, client.strategies.code.folders)
  assert.deepEqual(Object.keys(client), ['request', 'withIdempotencyKey', ...Object.keys(namespaces)])
  for (const part of [client, client.strategies, client.strategies.code, client.exchanges]) {
    assert.ok(Object.isFrozen(part))
  }
  const { list } = client.exchanges
  assert.throws(() => Object.assign(client.exchanges, { list: undefined }), TypeError)
  assert.equal(client.exchanges.list, list)
})
