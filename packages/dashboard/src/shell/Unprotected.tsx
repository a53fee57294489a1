import { count } from '../base/numbers.ts'
import { positionsQuery } from '../data/positions.ts'
import { useQuery } from '../data/use-query.ts'
import { Notice } from '../parts/Notice.tsx'
import { Foreign } from '../parts/Values.tsx'

/** The positions that are named at most. */
const mostNamed = 20

/** The user's open positions, which nobody closes while all trading is halted. */
export function Unprotected() {
  const { data: positions = [] } = useQuery(positionsQuery)
  if (positions.length === 0) return null
  const others = positions.length - mostNamed
  return (
    <Notice tone="warning">
      <p>Nobody closes or protects these positions of yours until the halt ends:</p>
      <ul>
        {positions.slice(0, mostNamed).map(({ bot_id, symbol, side, size }) => (
          <li key={`${bot_id} ${symbol}`}>
            {side} {size} <Foreign text={symbol} />, bot {bot_id}
          </li>
        ))}
      </ul>
      {others > 0 && <p>And {count(others, 'more position')}.</p>}
    </Notice>
  )
}
