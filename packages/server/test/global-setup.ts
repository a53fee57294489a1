import { loadBuild } from '@tickwright/dashboard'
import { chromiumPath } from '../../../test/chromium.ts'
import { limitFiles } from './file-limit.ts'
import { type PostgresTemplate, postgresTemplate } from './postgres-template.ts'

let postgres: PostgresTemplate
/** The longest files take two minutes on a busy machine. */
const fileLimitMs = 600_000

/**
 * Before the first file starts, creates the database that all test files copy, builds the dashboard and finds a browser.
 * Files find database and browser by environment variables.
 */
export async function globalSetup(): Promise<void> {
  limitFiles(fileLimitMs)
  // The dashboard is built and a browser found here once, so that no test waits for them.
  const made = await Promise.all([postgresTemplate(), chromiumPath(), loadBuild()])
  ;[postgres, process.env.CHROMIUM_PATH] = made
  process.env.TEST_DATABASE_URL = postgres.server.url
  process.env.TEST_DATABASE_TEMPLATE = postgres.template
}

export async function globalTeardown(): Promise<void> {
  await postgres[Symbol.asyncDispose]()
}
