import type { BotSettings, bots } from '../db/schema.ts'

export type Bot = typeof bots.$inferSelect
export type BotStatus = Bot['status']

/** What a user decides about a bot; what is left out stays as it is, or takes its default. */
export type BotWish = {
  name?: string
  mode?: Bot['mode']
  webhookId?: number | null
  exchangeId?: number
  connectionId?: number | null
  settings?: Partial<BotSettings>
}

/** A new bot has to be told where it trades. */
export type NewBot = BotWish & { exchangeId: number }
