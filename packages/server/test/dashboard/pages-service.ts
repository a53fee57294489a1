import { type Client, createClient } from '../client.ts'
import { fileResources } from '../databases.ts'
import { startProcess } from '../process.ts'
import { expect } from '../reaction.ts'
import type { SharedService } from '../shared-service.ts'

/** A service with pages, and a client of it that signs as the administrator. */
export type PagesService = Client & { url: string }

/**
 * The service that files with tests of pages share, or one of its own for a file that runs without the global setup.
 * It is for files whose tests look only at records of their own users, and change nothing for others, such as the halt
 * of all trading. The addresses of their users end in the name of the file. All their requests come from one address,
 * which has 20 wrong guesses of passwords and codes in 15 minutes. All other files start their own service.
 */
export async function pagesService(): Promise<PagesService> {
  const offer = process.env.TEST_SHARED_SERVICE
  if (offer === undefined) return fileResources.use(await startProcess())
  const answer = await createClient(offer, { key: '', secret: '' }).send('GET', '/')
  const { url, key }: SharedService = await expect(200, Promise.resolve(answer))
  return { ...createClient(url, key), url }
}
