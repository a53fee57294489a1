import { ai } from './ai.ts'
import type { Aliases } from './alias.ts'
import { bots } from './bots.ts'
import { exchanges } from './exchanges.ts'
import { stored } from './stored-bots.ts'
import { strategies } from './strategies.ts'
import { webhooks } from './webhooks.ts'

const parts: Aliases[] = [strategies, bots, stored, webhooks, exchanges, ai]

/**
 * Every name and path that scripts from the hosted service use and the API spells differently. The rest of the service
 * knows none of them.
 */
export const aliases: Aliases = {
  operations: Object.assign({}, ...parts.map(({ operations }) => operations)),
  paths: Object.assign({}, ...parts.map(({ paths }) => paths)),
}
