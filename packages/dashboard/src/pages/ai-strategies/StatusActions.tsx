import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { formatNumber } from '../../base/numbers.ts'
import { routesQuery } from '../../data/approvals.ts'
import { targetOf } from '../../data/targets.ts'
import { useOnce } from '../../data/use-once.ts'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Mode } from '../../parts/Marks.tsx'
import { Failure } from '../../parts/Notice.tsx'
import { Foreign } from '../../parts/Values.tsx'
import { scheduleText } from '../strategies/schedule.ts'
import styles from './ai.module.css'
import { apiOf } from './api.ts'
import { type AiStrategy, kindOf, kindWords, nameOf } from './kinds.ts'

/** Switches a strategy on and off, and deletes it. To switch on and to delete, it asks first. */
export function StatusActions({ strategy, isDirty }: { strategy: AiStrategy; isDirty: boolean }) {
  const [asking, setAsking] = useState<'switch on' | 'delete' | null>(null)
  const { run, isBusy, error } = useStatus(strategy, 'INACTIVE')
  const isOff = strategy.status === 'INACTIVE'
  const missing =
    strategy.connection_id === null
      ? 'It has no model.'
      : strategy.prompt.trim() === ''
        ? 'It has no prompt.'
        : isDirty
          ? 'Save or discard your changes first.'
          : null
  return (
    <>
      {error !== null && <Failure error={error} isChange />}
      {isOff ? (
        <Button look="primary" unavailable={missing} onClick={() => setAsking('switch on')}>
          Switch on
        </Button>
      ) : (
        <Button isBusy={isBusy} onClick={run}>
          Switch off
        </Button>
      )}
      <Button onClick={() => setAsking('delete')}>Delete</Button>
      {asking === 'switch on' && <SwitchOnDialog strategy={strategy} onClose={() => setAsking(null)} />}
      {asking === 'delete' && <DeleteDialog strategy={strategy} onClose={() => setAsking(null)} />}
    </>
  )
}

/** Ends a suspension, or begins and ends that a strategy runs. */
export function useStatus(strategy: AiStrategy, status: 'ACTIVE' | 'INACTIVE') {
  const queries = useQueryClient()
  return useOnce(
    () => apiOf[kindOf(strategy)].setStatus(strategy.id, { status }),
    () => queries.invalidateQueries({ queryKey: ['strategies'] }),
  )
}

function SwitchOnDialog({ strategy, onClose }: { strategy: AiStrategy; onClose: () => void }) {
  const queries = useQueryClient()
  const { data: routes } = useQuery({ ...routesQuery, staleTime: 0 })
  const target = routes && targetOf(strategy.id, routes)
  const switchOn = async () => {
    try {
      await apiOf[kindOf(strategy)].setStatus(strategy.id, { status: 'ACTIVE' })
    } finally {
      await queries.invalidateQueries({ queryKey: ['strategies'] })
    }
    onClose()
  }
  return (
    <FormDialog
      title={`Switch this ${kindWords[kindOf(strategy)].short} on`}
      word="Switch on"
      onSend={switchOn}
      onClose={onClose}
    >
      <p>
        {asksWhen(strategy)}, for at most {formatNumber(strategy.tokens_per_day)} tokens a day. Your provider
        charges for them.
      </p>
      <p>
        <Foreign text={actsHow(strategy)} />
      </p>
      {strategy.send_signal && target !== undefined && target.bots.length > 0 && (
        <ul className={styles.bots}>
          {target.bots.map(({ id, name, mode, demo }) => (
            <li key={id}>
              <Mode mode={mode} demo={demo} /> <Foreign text={name || `Bot ${id}`} />
            </li>
          ))}
        </ul>
      )}
      {strategy.send_signal && target?.hasOthers && (
        <p>Another user shares the bot webhook with you: bots of others may follow it too.</p>
      )}
    </FormDialog>
  )
}

function asksWhen(strategy: AiStrategy): string {
  if (strategy.type === 'llm-reaction') return 'Each payload asks the model'
  return `The model is asked ${scheduleText(strategy.cron_interval) ?? 'on its schedule'}`
}

function actsHow({ send_signal, needs_approval, webhook_id, actions, symbol }: AiStrategy): string {
  if (!send_signal || actions.length === 0) return 'The model cannot act.'
  const what = `It may send ${actions.join(', ')}${symbol === null ? '' : ` of ${symbol}`}`
  const where = webhook_id === null ? 'and the service only records that' : 'to the bots that follow it'
  return `${what} ${where}${needs_approval ? ', each time after your approval.' : ', without asking you.'}`
}

function DeleteDialog({ strategy, onClose }: { strategy: AiStrategy; onClose: () => void }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const remove = async () => {
    await apiOf[kindOf(strategy)].delete(strategy.id)
    queries.removeQueries({ queryKey: ['strategies', 'ai', strategy.id] })
    await navigate({ to: '/ai-strategies' })
    void queries.invalidateQueries({ queryKey: ['strategies'] })
  }
  return (
    <FormDialog
      title={`Delete this ${kindWords[kindOf(strategy)].short}`}
      word="Delete"
      look="danger"
      onSend={remove}
      onClose={onClose}
    >
      <p>
        <Foreign text={nameOf(strategy)} /> goes with its runs, transcripts, versions and approvals, for ever.
        What waits for approval is never sent. Positions of bots stay open.
      </p>
    </FormDialog>
  )
}
