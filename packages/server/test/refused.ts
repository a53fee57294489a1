import type { ApiAnswer, Client } from './client.ts'
import { expect } from './reaction.ts'
import { until } from './until.ts'

/** The refused posts of a webhook as this client's user sees them, newest first, once there are at least `count`. */
export async function refusedPosts(client: Client, own: string, count: number): Promise<ApiAnswer['body'][]> {
  let posts: ApiAnswer['body'][] = []
  await until(`${count} refused posts`, async () => {
    posts = await expect(200, client.api('GET', `${own}/refused`))
    return posts.length >= count
  })
  return posts
}
