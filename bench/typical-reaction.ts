import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** An RSI and an EMA over 200 prices in storage. */
export const typicalCodeFile = join(import.meta.dirname, 'reactions', 'rsi-ema.js')

export const typicalCode = await readFile(typicalCodeFile, 'utf8')

/** The same code, which also sends a signal. */
export const actingCode = `${typicalCode}\nawait $.Strategy.action($.Action.LONG)`
