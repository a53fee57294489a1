/** The command was called with wrong arguments or settings. The message is for the caller. */
export class UsageError extends Error {
  override name = 'UsageError'
}
