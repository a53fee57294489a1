import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useOnce } from '../../data/use-once.ts'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { ButtonLink } from '../../parts/ButtonLink.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Failure, Notice } from '../../parts/Notice.tsx'
import { Foreign } from '../../parts/Values.tsx'
import { BotNames, botsBehindQuery } from './bots-behind.tsx'
import type { CodeKind } from './kinds.ts'
import styles from './strategies.module.css'
import { codeOf, type Strategy } from './strategies.ts'
import { useSwitchOn } from './use-switch-on.tsx'

/** Switches a strategy on and off, copies it, and deletes it. */
export function Actions({ kind, strategy }: { kind: CodeKind; strategy: Strategy }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [isDeleting, setDeleting] = useState(false)
  const isOff = strategy.status === 'INACTIVE'
  const refresh = () => queries.invalidateQueries({ queryKey: ['strategies'] })
  const on = useSwitchOn(kind, strategy)
  const off = useOnce(() => codeOf[kind].setStatus(strategy.id, { status: 'INACTIVE' }), refresh)
  const copy = useOnce(async () => {
    const { id } = await codeOf[kind].duplicate({ id: strategy.id })
    await refresh()
    await navigate({ to: '/strategies/$kind/$id', params: { kind, id: String(id) } })
  })
  const error = on.error ?? off.error ?? copy.error
  const note = isOff ? off.answer?.note : undefined
  return (
    <>
      {error !== null && <Failure error={error} isChange />}
      {note !== undefined && <Notice>{note}</Notice>}
      <span className={styles.inline}>
        {isOff ? (
          <Button isBusy={on.isBusy} onClick={on.begin} unavailable={whyNotOn(strategy)}>
            Switch on
          </Button>
        ) : (
          <Button isBusy={off.isBusy} onClick={off.run}>
            Switch off
          </Button>
        )}
        <ButtonLink to="/backtests/new" search={{ strategy: strategy.id }}>
          Backtest
        </ButtonLink>
        <Button isBusy={copy.isBusy} onClick={copy.run}>
          Duplicate
        </Button>
        <Button onClick={() => setDeleting(true)}>Delete</Button>
      </span>
      {on.dialog}
      {isDeleting && <DeleteStrategy kind={kind} strategy={strategy} onClose={() => setDeleting(false)} />}
    </>
  )
}

function whyNotOn(strategy: Strategy): string | null {
  if (strategy.type !== 'code-strategy' || strategy.cron_interval !== 'TICK') return null
  if (strategy.exchange_id !== null && strategy.price_symbol !== null) return null
  return 'It runs with each price. Choose the exchange and the symbol of the price in its settings first.'
}

/** Asks before a strategy is deleted, and names what ends with it and what does not. */
function DeleteStrategy({
  kind,
  strategy,
  onClose,
}: {
  kind: CodeKind
  strategy: Strategy
  onClose: () => void
}) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { id, name, status, webhook_id } = strategy
  const { data: bots = [] } = useQuery(botsBehindQuery(webhook_id))
  const remove = async () => {
    await codeOf[kind].delete(id)
    await navigate({ to: '/strategies', search: {} })
    queries.removeQueries({ queryKey: ['strategies', kind, id] })
    await queries.invalidateQueries({ queryKey: ['strategies'] })
  }
  return (
    <FormDialog title="Delete the strategy" word="Delete" look="danger" onSend={remove} onClose={onClose}>
      <p>
        <Foreign text={name || `Strategy ${id}`} />
      </p>
      <ul className={styles.points}>
        {status !== 'INACTIVE' && (
          <li>{kind === 'code' ? 'Its schedule ends.' : 'Payloads trigger it no more.'}</li>
        )}
        <li>Its code, its versions, its stored value and its runs with their logs are deleted.</li>
        <li>Positions stay open: it closes none of them.</li>
        {bots.length > 0 && (
          <li>
            These bots follow its webhook and stay as they are: <BotNames bots={bots} />
          </li>
        )}
      </ul>
    </FormDialog>
  )
}
