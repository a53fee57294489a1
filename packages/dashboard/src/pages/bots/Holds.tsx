import type { Position, SignalBotInList } from '@tickwright/client'
import { count } from '../../base/numbers.ts'
import { plainText } from '../../base/text.ts'
import { Value } from '../../parts/Values.tsx'
import { totalsOf } from '../trading/totals.ts'

/** How many positions a bot has, and what they would bring now. Currencies are never added: a number says how many more. */
export function Holds({
  bot,
  positions,
}: {
  bot: Pick<SignalBotInList, 'id' | 'mode' | 'demo'>
  /** Those of the bot; `undefined` while nobody knows them. */
  positions: readonly Position[] | undefined
}) {
  if (positions === undefined) return null
  const [first, ...others] = totalsOf(positions, new Map([[bot.id, bot]]))
  if (first === undefined) return <>nothing</>
  const { unrealised, currency, unknown } = first
  return (
    <span title={unknown > 0 ? `${count(unknown, 'position')} without a price` : undefined}>
      {count(positions.length, 'position')}
      {others.length > 0 && `, in ${others.length + 1} currencies`}{' '}
      <Value
        value={unrealised}
        digits={2}
        isResult
        {...(currency === null ? {} : { unit: plainText(currency) })}
      />
    </span>
  )
}
