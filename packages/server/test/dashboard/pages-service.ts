import { type Client, createClient } from '../client.ts'
import { fileResources } from '../databases.ts'
import { startProcess } from '../process.ts'
import { expect } from '../reaction.ts'
import type { SharedService } from '../shared-service.ts'

/** A service with pages, and a client of it that signs as the administrator. */
export type PagesService = Client & { url: string }

/**
 * The service that files with tests of pages share; one of its own for a file that runs alone, without the global
 * setup. For files whose tests look only at records of their own users, whose addresses end in the name of the file,
 * and that change nothing for others, such as the halt of all trading. All others start their own.
 */
export async function pagesService(): Promise<PagesService> {
  const offer = process.env.TEST_SHARED_SERVICE
  if (offer === undefined) return fileResources.use(await startProcess())
  const answer = await createClient(offer, { key: '', secret: '' }).send('GET', '/')
  const { url, key }: SharedService = await expect(200, Promise.resolve(answer))
  return { ...createClient(url, key), url }
}
