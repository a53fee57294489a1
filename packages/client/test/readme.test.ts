import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { blocksOf } from '../../../test/documents.ts'
import { read } from '../../../test/repository.ts'
import { rowsOf } from '../../../test/tables.ts'
import { administratorKey } from '../../server/test/environment.ts'
import { withService } from '../../server/test/with-service.ts'
import * as hosted from '../src/hosted.ts'
import * as library from '../src/index.ts'
import { namespaces } from '../src/namespaces.ts'

const AsyncFunction = (async () => {}).constructor as new (
  ...args: string[]
) => (...args: unknown[]) => Promise<void>

// In this order: the second one needs an empty account, as its reader has.
for (const path of ['packages/client/README.md', 'docs/client.md']) {
  withService(`the examples of ${path}, one after the other, say what stands below them`, async ({ url }) => {
    const blocks = await blocksOf(path)
    const textOf = (wanted: string) =>
      blocks.filter(({ language }) => language === wanted).map(({ text }) => text)
    const examples = textOf('js')
    assert.ok(examples.length > 0)

    const lines: string[] = []
    const log = (...values: unknown[]) => {
      const shown = values.map((value) =>
        typeof value === 'string' ? value : inspect(value, { breakLength: Number.POSITIVE_INFINITY }),
      )
      lines.push(shown.join(' '))
    }
    const { key: apiKey, secret: apiSecret } = administratorKey
    const known = { ...library, hosted, baseUrl: url, apiKey, apiSecret, console: { log } }
    const program = examples.join('\n').replaceAll(/^import .*$/gm, '')
    await new AsyncFunction(...Object.keys(known), program)(...Object.values(known))
    assert.deepEqual(`${lines.join('\n')}\n`, textOf('text').join(''))
  })
}

test('docs/client.md names every method, and docs/api.md every namespace', async () => {
  const named = new Map<string, Set<string>>()
  for (const [spaces, methods] of rowsOf(await read('docs/client.md'), 'namespace')) {
    for (const [, namespace] of spaces!.matchAll(/([\w.]+)/g)) {
      const known = named.get(namespace!) ?? new Set()
      for (const [, method] of methods!.matchAll(/(\w+)/g)) known.add(method!)
      named.set(namespace!, known)
    }
  }
  assert.deepEqual(named, methodsOf(namespaces))
  const overview = await read('docs/api.md')
  const top = [...named.keys()].filter((name) => !named.has(name.slice(0, name.lastIndexOf('.'))))
  assert.deepEqual(
    top.filter((name) => !overview.includes(`\`${name}\``)),
    [],
  )
})

/** The methods of each namespace by its full name. */
function methodsOf(table: object, prefix = '', found = new Map<string, Set<string>>()) {
  for (const [name, entry] of Object.entries(table)) {
    if (typeof entry === 'object') methodsOf(entry, prefix === '' ? name : `${prefix}.${name}`, found)
    else found.set(prefix, (found.get(prefix) ?? new Set()).add(name))
  }
  return found
}
