/** Every table. Each file of `tables/` has those of one part of the service. */
export * from './tables/accounts.ts'
export * from './tables/ai.ts'
export * from './tables/mail.ts'
export * from './tables/notifications.ts'
export * from './tables/strategies.ts'
export * from './tables/trading.ts'
export * from './tables/versions.ts'
export * from './tables/webhooks.ts'
