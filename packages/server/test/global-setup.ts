import { loadBuild } from '@tickwright/dashboard'
import { chromiumPath } from '../../../test/chromium.ts'
import { keepBundledPackages } from '../src/start/bundled-packages.ts'
import { limitFiles } from './file-limit.ts'
import { postgresTemplate } from './postgres-template.ts'
import { offerSharedService } from './shared-service.ts'

const acquired = new AsyncDisposableStack()
/** The longest files, and groups of files, take a few minutes on a busy machine. */
const fileLimitMs = 900_000

/**
 * Before the first file starts, creates the database that all test files copy, builds the dashboard and finds a browser.
 * Files find database, browser and the service that they may share by environment variables.
 */
export async function globalSetup(): Promise<void> {
  limitFiles(fileLimitMs)
  await keepBundledPackages()
  // The dashboard is built and a browser found here once, so that no test waits for them.
  const made = await Promise.all([postgresTemplate(), chromiumPath(), loadBuild()])
  const postgres = acquired.use(made[0])
  process.env.CHROMIUM_PATH = made[1]
  process.env.TEST_DATABASE_URL = postgres.server.url
  process.env.TEST_DATABASE_TEMPLATE = postgres.template
  process.env.TEST_SHARED_SERVICE = acquired.use(await offerSharedService(postgres)).url
}

export async function globalTeardown(): Promise<void> {
  await acquired.disposeAsync()
}
