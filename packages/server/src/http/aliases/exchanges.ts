import type { Aliases } from './alias.ts'
import { messageBeside } from './answers.ts'

/** Connections to exchanges. */
export const exchanges: Aliases = {
  operations: {
    'PUT /api/exchange/:id/status': { answer: messageBeside },
  },
  paths: {},
}
