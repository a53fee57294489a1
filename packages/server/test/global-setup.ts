import { limitFiles } from './file-limit.ts'
import { type PostgresTemplate, postgresTemplate } from './postgres-template.ts'

let postgres: PostgresTemplate
/** The longest files take two minutes on a busy machine. */
const fileLimitMs = 600_000

/** Creates the database that all test files copy, before the first file starts. Files find it by environment variables. */
export async function globalSetup(): Promise<void> {
  limitFiles(fileLimitMs)
  postgres = await postgresTemplate()
  process.env.TEST_DATABASE_URL = postgres.server.url
  process.env.TEST_DATABASE_TEMPLATE = postgres.template
}

export async function globalTeardown(): Promise<void> {
  await postgres[Symbol.asyncDispose]()
}
