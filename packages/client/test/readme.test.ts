import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { blocksOf } from '../../../test/documents.ts'
import { oneService } from '../../server/test/each-service.ts'
import { administratorKey } from '../../server/test/environment.ts'
import * as library from '../src/index.ts'

const AsyncFunction = (async () => {}).constructor as new (
  ...args: string[]
) => (...args: unknown[]) => Promise<void>

oneService('the examples of the README, one after the other, say what stands below them', async ({ url }) => {
  const blocks = await blocksOf('packages/client/README.md')
  const textOf = (wanted: string) =>
    blocks.filter(({ language }) => language === wanted).map(({ text }) => text)
  const examples = textOf('js')
  assert.ok(examples.length >= 3)

  const lines: string[] = []
  const log = (...values: unknown[]) => {
    const shown = values.map((value) =>
      typeof value === 'string' ? value : inspect(value, { breakLength: Number.POSITIVE_INFINITY }),
    )
    lines.push(`${shown.join(' ')}\n`)
  }
  const known = {
    ...library,
    baseUrl: url,
    apiKey: administratorKey.key,
    apiSecret: administratorKey.secret,
    console: { log },
  }
  const program = examples.join('\n').replaceAll(/^import .*$/gm, '')
  await new AsyncFunction(...Object.keys(known), program)(...Object.values(known))
  assert.deepEqual(lines, textOf('text'))
})
