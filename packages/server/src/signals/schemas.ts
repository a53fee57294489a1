import { Type } from 'typebox'
import type { SignalFlag } from '../db/schema.ts'
import { SignalEntryRecord } from '../trading/entries/schemas.ts'
import { ProtectionRecord } from '../trading/protection/schemas.ts'
import { decidingFlag, signalFlags } from './flags.ts'

export const SignalAction = Type.Union([Type.Literal('LONG'), Type.Literal('SHORT'), Type.Literal('EXIT')])

/** `flag` and `flags` of a signal in a response. */
export const shownFlags = {
  flag: Type.Union([Type.Enum(['TEST', 'REVERSE']), Type.Null()], {
    description: 'The flag that decides what bots do: TEST, if it is among `flags`, or else REVERSE.',
  }),
  flags: Type.Array(Type.Enum([...signalFlags]), {
    description:
      'What the sender asked for. TEST: no bot trades the signal. REVERSE: `action` is already the opposite of the side. DEBUG: the answer explained the signal.',
  }),
}

export function presentFlags({ flags }: { flags: SignalFlag[] }) {
  return { flag: decidingFlag(flags), flags }
}

/** The options of an action. An option that was not given is absent. */
export const SignalOptions = Type.Object({
  id: Type.Optional(Type.String()),
  size: Type.Optional(
    Type.Number({
      description: 'In quote currency to open, in base currency to close; from 1e-18 to 1e18.',
    }),
  ),
  sizeUnit: Type.Optional(
    Type.Enum(['base', 'quote'], {
      description:
        'What a `size` that opens is in, whatever a bot says: base currency, or the quote currency of the market. Absent: the bot decides.',
    }),
  ),
  dilution: Type.Optional(Type.Boolean()),
  forceSize: Type.Optional(Type.Boolean()),
  closes: Type.Optional(
    Type.Enum(['long', 'short'], {
      description: 'Of an EXIT: it closes a position on this side only. Absent: on any.',
    }),
  ),
  protection: Type.Optional(
    Type.Partial(ProtectionRecord, {
      description: 'What the position that it opens is protected by, instead of what the bot says.',
    }),
  ),
  entry: Type.Optional(SignalEntryRecord),
  slug: Type.Optional(Type.String({ description: 'Names a prediction market.' })),
  outcome: Type.Optional(Type.String()),
})

/** What becomes of a signal in a bot. */
export const BotSignalStatus = Type.Enum([
  'DELAYED',
  'QUEUED',
  'WORKING',
  'CLOSING',
  'WAITING',
  'DONE',
  'IGNORED',
  'REFUSED',
  'FAILED',
])
