import assert from 'node:assert/strict'
import { test } from 'node:test'
import { read } from '../../../../../test/repository.ts'
import { aliases } from './table.ts'

type Operation = {
  deprecated?: boolean
  description?: string
  requestBody?: { content: { 'application/json': { schema: { properties: Record<string, Described> } } } }
}
type Described = { deprecated?: boolean; description?: string }
const { paths } = JSON.parse(await read('docs/openapi.json')) as {
  paths: Record<string, Record<string, Operation>>
}

function operationOf(line: string): Operation | undefined {
  const [method, path] = line.split(' ')
  return paths[`/api/v2${path!.replaceAll(/:(\w+)/g, '{$1}')}`]?.[method!.toLowerCase()]
}

test('each row is about an operation, whose other names are described as deprecated', () => {
  for (const [line, { body = [] }] of Object.entries(aliases.operations)) {
    const operation = operationOf(line)
    assert.ok(operation, `There is no ${line}.`)
    const properties: Record<string, Described> =
      operation.requestBody?.content['application/json'].schema.properties ?? {}
    for (const { names, means } of body) {
      assert.ok(properties[means], `${line} ${means}`)
      for (const name of Object.keys(names)) {
        assert.equal(properties[name]?.deprecated, true, `${line} ${name}`)
        assert.ok(properties[name].description, `${line} ${name}`)
      }
    }
  }
})

test('each other path is an operation of its own, described as deprecated', () => {
  for (const [line, { of }] of Object.entries(aliases.paths)) {
    assert.equal(operationOf(line)?.deprecated, true, line)
    assert.ok(operationOf(of), of)
  }
})
