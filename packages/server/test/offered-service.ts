import { type Client, createClient } from './client.ts'
import { fileResources } from './file-resources.ts'
import { expect } from './reaction.ts'
import type { SharedService } from './shared-service.ts'

/** A service that test files may share, and a client of it that signs as the administrator. */
export type OfferedService = Client & { url: string }

/** The service that the files of a test run share, or one of its own for a file that runs without the global setup. */
export async function offeredService(): Promise<OfferedService> {
  const offer = process.env.TEST_SHARED_SERVICE
  if (offer === undefined) {
    // Loaded only here: a file that shares a service need not load all of its code.
    const { startService } = await import('./service.ts')
    return fileResources.use(await startService())
  }
  const answer = await createClient(offer, { key: '', secret: '' }).send('GET', '/')
  const { url, key }: SharedService = await expect(200, Promise.resolve(answer))
  return { ...createClient(url, key), url }
}
