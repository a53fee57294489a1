import type { ReactNode } from 'react'
import { useQuery } from '../../data/use-query.ts'
import { Notice } from '../../parts/Notice.tsx'
import { Foreign } from '../../parts/Values.tsx'
import { tradingQuery } from '../../shell/trading.ts'
import { missingFor } from './settings.ts'

type Connection = { status: string; obstacles: readonly string[] } | null | undefined

/** What keeps a bot from sending orders now. */
export function useMissing(mode: 'paper' | 'live', connection: Connection): string[] {
  const { data: trading } = useQuery(tradingQuery)
  return missingFor({ mode, connection, trading })
}

/** Says what is missing before a bot can trade; if nothing is, shows `otherwise`. */
export function Missing({
  mode,
  connection,
  otherwise = null,
  action,
}: {
  mode: 'paper' | 'live'
  connection: Connection
  otherwise?: ReactNode
  action?: ReactNode
}) {
  const missing = useMissing(mode, connection)
  if (missing.length === 0) return otherwise
  return (
    <Notice tone="warning" action={action}>
      <p>The bot cannot trade yet:</p>
      <ul>
        {missing.map((text) => (
          <li key={text}>
            <Foreign text={text} />
          </li>
        ))}
      </ul>
    </Notice>
  )
}
