import { type SQL, sql } from 'drizzle-orm'
import { type StoredBotType, storedBots } from './schema.ts'

/** What messages call one. */
export const storedBotWords: Record<StoredBotType, string> = {
  'signal-prediction': 'prediction bot',
  'signal-dex': 'DEX bot',
}

const { 'signal-dex': onDexes, 'signal-prediction': onMarkets } = storedBotWords

/** The same for the bot of a row. */
export const kindOfStoredBot: SQL<string> = sql`case ${storedBots.type} when 'signal-dex' then ${onDexes}::text else ${onMarkets}::text end`
