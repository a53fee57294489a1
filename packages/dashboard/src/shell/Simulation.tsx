import { queryOptions } from '@tanstack/react-query'
import { useState } from 'react'
import { botExchangesQuery } from '../data/accounts.ts'
import { botNamesQuery } from '../data/bot-names.ts'
import { useQuery } from '../data/use-query.ts'
import { Button } from '../parts/Button.tsx'
import { classes } from '../parts/classes.ts'
import { Buttons, Dialog } from '../parts/Dialog.tsx'
import styles from './shell.module.css'
import { type Market, simulationFacts, simulationText } from './simulation.ts'

/** Only a header says where prices come from. It does not change while the service runs. */
const marketQuery = queryOptions({
  queryKey: ['market', 'kind'],
  queryFn: async (): Promise<Market> => {
    const { headers } = await fetch('/health/live')
    const market = headers.get('x-tickwright-market')
    return market === 'sim' || market === 'replay' ? market : 'live'
  },
  staleTime: Number.POSITIVE_INFINITY,
})

/**
 * What is simulated, and in full for those who ask.
 * @param isShort the bar has no room for it on a phone
 */
export function Simulation({ isLiveOn, isShort }: { isLiveOn: boolean; isShort: boolean }) {
  const { data: market } = useQuery(marketQuery)
  const { data: bots } = useQuery(botNamesQuery)
  const [isAsking, setAsking] = useState(false)
  if (market === undefined) return null
  const own = [...(bots?.values() ?? [])]
  const { prices, orders } = simulationText({ market, isLiveOn, bots: own })
  return (
    <>
      <button
        type="button"
        className={classes(styles.simulation, isShort && styles.wordy)}
        aria-haspopup="dialog"
        onClick={() => setAsking(true)}
      >
        {prices !== null && (
          <span className={styles.fact}>
            <i className={styles.odd} /> {prices}
          </span>
        )}
        <span className={styles.fact}>
          <i className={isLiveOn ? styles.good : undefined} /> {orders}
        </span>
      </button>
      {isAsking && (
        <SimulationDialog market={market} isLiveOn={isLiveOn} bots={own} onClose={() => setAsking(false)} />
      )}
    </>
  )
}

function SimulationDialog({
  onClose,
  ...known
}: Omit<Parameters<typeof simulationFacts>[0], 'simulatedId'> & { onClose: () => void }) {
  const { data: exchanges } = useQuery(botExchangesQuery)
  const simulatedId = exchanges?.find(({ type }) => type === 'SIM')?.id
  return (
    <Dialog title="What is simulated" onClose={onClose}>
      <dl className={styles.explained}>
        {simulationFacts({ ...known, simulatedId }).map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <Buttons>
        <Button onClick={onClose}>Back</Button>
      </Buttons>
    </Dialog>
  )
}
