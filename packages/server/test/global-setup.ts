import { limitFiles } from './file-limit.ts'
import { pgliteTemplate } from './pglite-template.ts'
import { type PostgresTemplate, postgresTemplate } from './postgres-template.ts'

let postgres: PostgresTemplate
/** The longest take two minutes on a busy machine. */
const fileLimitMs = 600_000

/** Makes, before the first test file starts, what all of them copy; they find it by their environment. */
export async function globalSetup(): Promise<void> {
  limitFiles(fileLimitMs)
  await pgliteTemplate()
  postgres = await postgresTemplate()
  process.env.TEST_DATABASE_URL = postgres.server.url
  process.env.TEST_DATABASE_TEMPLATE = postgres.template
}

export async function globalTeardown(): Promise<void> {
  await postgres[Symbol.asyncDispose]()
}
