/** What arguments and options can be. In a file of its own, so that `--help` loads no command. */

/** What can be switched on and off. */
export const switchable = ['bot', 'strategy', 'webhook', 'bot-webhook'] as const

/** What can be exported. */
export const exportable = ['orders', 'fills', 'trades', 'payments'] as const

export const orderStatuses = ['PLANNED', 'OPEN', 'UNKNOWN', 'FILLED', 'CANCELED', 'REJECTED'] as const
export const runStatuses = ['QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'VIOLATION', 'SKIPPED'] as const
