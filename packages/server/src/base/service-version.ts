import { readFileSync } from 'node:fs'

const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')

/** The version of the service: that of its package, of its OpenAPI document and of the changelog. */
export const serviceVersion = (JSON.parse(manifest) as { version: string }).version
