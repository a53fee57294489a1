/** The command was called with something that it cannot use. The message says what, for a person. */
export class UsageError extends Error {
  override name = 'UsageError'
}
