/** Security events in words. */

const groups = {
  'signing-in': {
    text: 'Signing in',
    events: {
      sign_in: 'Signed in',
      sign_out: 'Signed out',
      sign_out_everywhere: 'Signed out everywhere',
      session_ended: 'Ended a session',
      password_refused: 'Wrong password',
      code_refused: 'Wrong code',
      locked: 'Further attempts have to wait',
      signature_refused: 'Refused a signature',
    },
  },
  credentials: {
    text: 'Passwords and codes',
    events: {
      password_changed: 'Changed the password',
      password_reset_asked: 'Asked for a new password',
      password_reset: 'Set a new password',
      email_change_asked: 'Asked for a new e-mail address',
      email_changed: 'Changed the e-mail address',
      totp_on: 'Turned the second factor on',
      totp_off: 'Turned the second factor off',
      recovery_code_used: 'Used a recovery code',
    },
  },
  keys: {
    text: 'API keys',
    events: {
      api_key_made: 'Created an API key',
      api_key_rotated: 'Rotated an API key',
      api_key_revoked: 'Revoked an API key',
      api_key_changed: 'Changed an API key',
    },
  },
  secrets: {
    text: 'Connections and secrets',
    events: {
      connection_made: 'Created a connection',
      connection_deleted: 'Deleted a connection',
      variable_made: 'Created a variable',
      variable_changed: 'Changed a variable',
      variable_deleted: 'Deleted a variable',
      endpoint_made: 'Created a notification endpoint',
      endpoint_changed: 'Changed where an endpoint sends to',
      endpoint_rotated: 'Rotated the secret of an endpoint',
      endpoint_deleted: 'Deleted a notification endpoint',
      chat_link_made: 'Made a link to the Telegram bot',
      chat_linked: 'Linked a person of Telegram',
      chat_unlinked: 'Unlinked a person of Telegram',
      chat_acted: 'Acted from Telegram',
      webhook_key_changed: 'Set the password of a webhook',
      webhook_url_rotated: 'Gave a webhook a new address',
    },
  },
  users: {
    text: 'Users and invitations',
    events: {
      user_made: 'Created the user',
      user_changed: 'Changed the user',
      user_disabled: 'Disabled the user',
      user_enabled: 'Enabled the user',
      role_changed: 'Changed the role',
      limits_changed: 'Changed the limits',
      user_deleted: 'Deleted a user',
      invitation_made: 'Invited a person',
      invitation_revoked: 'Withdrew an invitation',
    },
  },
  trading: {
    text: 'Trading',
    events: {
      approval_approved: 'Approved an action',
      approval_rejected: 'Rejected an action',
      positions_closed: 'Closed positions of a bot',
      panic: 'Closed everything',
      trading_halted: 'Halted trading',
      halt_reason_changed: 'Changed the reason of the halt',
      trading_resumed: 'Let trading go on',
      live_trading_on: 'Turned live trading on',
      live_trading_off: 'Turned live trading off',
      close_proceeded: 'Let a close proceed',
      close_dropped: 'Called off a close',
      drawdown_reset: 'Let a bot open again after its drawdown',
      protection_changed: 'Changed the protection of a position',
      books_adopted: 'Took over the number of the account',
      difference_ignored: 'Ignored a difference',
    },
  },
} as const satisfies Record<string, { text: string; events: Record<string, string> }>

export type EventGroup = keyof typeof groups

export const groupChoices = Object.entries(groups).map(([value, { text }]) => ({
  value: value as EventGroup,
  text,
}))

export function isEventGroup(value: unknown): value is EventGroup {
  return typeof value === 'string' && Object.hasOwn(groups, value)
}

const texts = new Map<string, string>(
  Object.values(groups).flatMap(({ events }) => Object.entries<string>(events)),
)

/** An event in words. One that only a newer service knows is shown by its name. */
export function eventText(event: string): string {
  return texts.get(event) ?? event.replaceAll('_', ' ')
}

export function isInGroup(event: string, group: EventGroup | undefined): boolean {
  return group === undefined || Object.hasOwn(groups[group].events, event)
}

/** Events that may mean that somebody else tries to get in. */
export function isAttempt(event: string): boolean {
  return ['password_refused', 'code_refused', 'locked', 'signature_refused'].includes(event)
}

/** The details of an event on one line, such as `name: laptop, times: 3`. */
export function detailsText(details: Record<string, unknown>): string {
  return Object.entries(details)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
}

type Source = { by_user_id: number | null; by_strategy_id: number | null }

/** Who caused an event: a user, or code of the user. */
export function causeText(
  { by_user_id, by_strategy_id }: Source,
  nameOf: (userId: number) => string,
): string {
  const user = by_user_id === null ? 'Unknown' : nameOf(by_user_id)
  if (by_strategy_id === null) return user
  return by_strategy_id === 0 ? `${user}, by a test run` : `${user}, by strategy ${by_strategy_id}`
}
