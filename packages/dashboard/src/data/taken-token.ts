import { readToken } from './link-token.ts'

/** The pages that such a link opens. */
const paths = ['/signup', '/reset', '/email']

/**
 * The token of the link that opened this page, or `null`. The first file to run imports this one, so that the address,
 * the history and the router never keep the token.
 */
export const takenToken = take()

function take(): string | null {
  if (!paths.includes(location.pathname)) return null
  const token = readToken(location.hash)
  history.replaceState(null, '', location.pathname + location.search)
  return token
}
