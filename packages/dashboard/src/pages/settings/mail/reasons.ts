/** When the service mails a user. docs/operations.md has the same list. */
export const reasonsToMail: readonly string[] = [
  'a strategy stops itself',
  'a strategy is suspended, because it broke a rule',
  'an AI reaction asks for your approval',
  'someone tries to guess your password or code',
  'a notification endpoint is disabled',
  'you ask for a link, or change your address',
]
