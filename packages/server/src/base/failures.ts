/**
 * SQLSTATEs of a server that cannot work now: connection (08), shutdown or start (57P), not accepting (55000), no more
 * room, memory or connections (53), a disk that fails (58), a standby that nobody has promoted yet (25006).
 */
const awayStates = /^(?:08|57P|53|58|55000$|25006$)/
/** Of its machine, of the network on the way to it, of its name, and of this machine's own network. */
const awayErrors = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'EHOSTDOWN'],
  ...['ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'],
])

/** What the service needs of the database cannot be read now, although nothing that was asked has failed. */
export class DatabaseAway extends Error {
  override name = 'DatabaseAway'
}

/** Whether a query failed because the database is out of reach: the same query may succeed later. */
export function isDatabaseAway(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof DatabaseAway) return true
    const { code = '', syscall } = at as { code?: unknown; syscall?: unknown }
    // Without its server, a socket in the file system does not exist.
    if (code === 'ENOENT' && syscall === 'connect') return true
    if (awayStates.test(String(code)) || awayErrors.has(String(code))) return true
    // The error of node-postgres for a connection that broke during a query has no code.
    if (/^Connection terminated/.test(at.message)) return true
  }
  return false
}

/** Whether a statement had no answer within its limit of time. node-postgres gives the error no code. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}

/** Whether the database refused the data itself, by SQLSTATE class 22 or 23: trying again would not help. */
export function isDataRefused(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (/^2[23]/.test(String((at as { code?: unknown }).code ?? ''))) return true
  }
  return false
}
