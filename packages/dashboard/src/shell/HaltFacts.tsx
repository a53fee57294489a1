import type { TradingSwitch } from '@tickwright/client'
import { client } from '../data/client.ts'
import { meQuery } from '../data/queries.ts'
import { useQuery } from '../data/use-query.ts'
import { Facts } from '../parts/Facts.tsx'
import { Foreign, Time } from '../parts/Values.tsx'

type Halt = NonNullable<TradingSwitch['halt']>

/** Why all trading is halted, since when, and by whom. Only administrators see the address of another one. */
export function HaltFacts({ halt: { reason, user_id, at } }: { halt: Halt }) {
  const { data: me } = useQuery(meQuery)
  const { data: user } = useQuery({
    queryKey: ['users', user_id],
    queryFn: () => client.users.get(user_id!),
    enabled: me?.role === 'admin' && user_id !== null,
  })
  return (
    <Facts
      facts={[
        ['Reason', reason === null ? 'None was given' : <Foreign key="reason" text={reason} keepLines />],
        ['Since', at === null ? 'Not known' : <Time key="since" at={at} />],
        ['By', user_id === me?.id ? 'You' : <Foreign key="by" text={user?.email ?? userText(user_id)} />],
      ]}
    />
  )
}

function userText(id: number | null): string {
  return id === null ? 'Not known' : `Administrator, user ${id}`
}
