/** Keeps `docs/configuration.md`, `.env.defaults` and the settings of the service equal. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseEnv } from 'node:util'
import { readConfig } from '../packages/server/src/config.ts'
import { read } from './repository.ts'
import { rowsOf } from './tables.ts'

const source = await read('packages/server/src/config.ts')
const readVariables = unique([...source.matchAll(/\(env, '([A-Z_]+)'/g)].map((match) => match[1]!))
const documented = rowsOf(await read('docs/configuration.md'), 'variable')
const defaultsFile = await read('.env.defaults')
const defaults = parse(defaultsFile.replaceAll(/^# (?=[A-Z_]+=)/gm, ''))

test('the documented variables are exactly those that the service reads', () => {
  assert.ok(readVariables.length > 20)
  assert.deepEqual(documented.map(([name]) => name).sort(), readVariables)
})

test('.env.defaults has every variable, and used unchanged it changes nothing', () => {
  assert.deepEqual(Object.keys(defaults).sort(), readVariables)
  assert.deepEqual(parse(defaultsFile), {})
  assert.deepEqual(readConfig(defaults), readConfig({}))
})

test('the documented defaults match .env.defaults', () => {
  for (const [name, , fallback] of documented) {
    const value = defaults[name!]
    if (value !== '') assert.equal(fallback, value, name!)
  }
})

test('each secret can be in a file, and the table of these settings has exactly them', async () => {
  const secrets = unique([...source.matchAll(/secretText\(env, '([A-Z_]+)'/g)].map((match) => match[1]!))
  assert.ok(secrets.length > 5)
  assert.deepEqual(
    rowsOf(await read('docs/configuration.md'), 'secret').sort(),
    secrets.map((name) => [name, `${name}_FILE`]),
  )
  // A name that speaks of a secret, in a setting that cannot be in a file.
  assert.deepEqual(
    readVariables.filter((name) => /SECRET|PASSWORD$|TOKEN|MASTER/.test(name) && !secrets.includes(name)),
    [],
  )
})

test('each documented example is accepted, and differs from the default', () => {
  const examples = Object.fromEntries(documented.map(([name, , , example]) => [name!, example!]))
  const config = Object.entries(readConfig(examples))
  const unchanged = Object.entries(readConfig({}))
  for (const [index, [setting, value]] of config.entries()) {
    assert.notDeepEqual(value, unchanged[index]![1], setting)
  }
})

function parse(text: string): Record<string, string | undefined> {
  return { ...parseEnv(text) }
}

function unique(names: string[]): string[] {
  return [...new Set(names)].sort()
}
