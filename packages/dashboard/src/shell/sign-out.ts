import { client } from '../data/client.ts'
import { live } from '../data/live.ts'
import { queries } from '../data/queries.ts'

/**
 * Signs out, and loads the document again, so that nothing of the account is left in the memory of the page: the Back
 * button then shows the sign-in.
 */
export async function signOut(): Promise<void> {
  live.stop()
  // An ended session is what was wanted.
  await client.users.sessions.signOut().catch(() => {})
  queries.clear()
  location.replace('/sign-in')
}
