/**
 * Writes `docs/openapi.json` from the routes of the service. With `--check` it writes nothing, and fails with the
 * difference if the file is out of date.
 */
import assert from 'node:assert/strict'
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { validate } from '@scalar/openapi-parser'
import { readConfig } from '../packages/server/src/config.ts'
import { createService } from '../packages/server/src/service.ts'

type Operation = { security?: Record<string, string[]>[] }
type OpenApi = {
  paths?: Record<string, Record<string, Operation>>
  components?: { securitySchemes?: Record<string, unknown> }
}

const path = new URL('../docs/openapi.json', import.meta.url)

const document = await generate()
await checkRules(document)
const text = `${JSON.stringify(document, null, 2)}\n`
if (process.argv.includes('--check')) {
  const committed = await readFile(path, 'utf8').catch(() => '')
  assert.equal(
    committed,
    text,
    'docs/openapi.json is out of date. Run `npm run openapi` and commit the file.',
  )
} else {
  await writeFile(path, text)
}

async function generate(): Promise<OpenApi> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-openapi-'))
  const settings = { DATA_DIR: folder.path, PORT: '0', LOG_LEVEL: 'silent', TICKWRIGHT_EXAMPLE: '0' }
  await using service = await createService(readConfig({ ...settings, ROLES: 'api', MARKET: 'sim' }))
  const { body, statusCode } = await service.app.inject('/api/v2/openapi.json')
  assert.equal(statusCode, 200)
  return JSON.parse(body)
}

/** Checks the rules of OpenAPI 3.1, and one that its schema cannot express: each required security scheme exists. */
async function checkRules(document: OpenApi): Promise<void> {
  const { errors } = await validate(structuredClone(document))
  assert.deepEqual(errors ?? [], [], 'The document is not valid OpenAPI 3.1.')
  const schemes = Object.keys(document.components?.securitySchemes ?? {})
  for (const [route, operations] of Object.entries(document.paths ?? {})) {
    for (const [method, { security = [] }] of Object.entries(operations)) {
      for (const name of security.flatMap(Object.keys)) {
        assert.ok(schemes.includes(name), `${method} ${route} requires the unknown security scheme ${name}.`)
      }
    }
  }
}
