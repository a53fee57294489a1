import type { BotSettings, bots } from '../db/schema.ts'

export type Bot = typeof bots.$inferSelect
/** `isDemo`: it trades live with an account without real money. */
export type ShownBot = Bot & { isDemo: boolean }
export type BotStatus = Bot['status']

/** The fields of a bot that its owner can set. A missing field stays as it is, or gets its default. */
export type BotChanges = {
  name?: string
  mode?: Bot['mode']
  webhookId?: number | null
  exchangeId?: number
  connectionId?: number | null
  folderId?: number | null
  settings?: Partial<BotSettings>
}

/** Without an exchange, the bot trades on that of its connection. */
export type NewBot = BotChanges
