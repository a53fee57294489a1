import { useQueryClient } from '@tanstack/react-query'
import type { TradingSwitch } from '@tickwright/client'
import { useState } from 'react'
import { client } from '../../data/client.ts'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { TextField } from '../../parts/Field.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Failure, Notice, Skeleton } from '../../parts/Notice.tsx'
import { HaltFacts } from '../../shell/HaltFacts.tsx'
import { haltTitle } from '../../shell/halt-title.ts'
import { tradingQuery } from '../../shell/trading.ts'
import styles from './administration.module.css'

type Step = {
  title: string
  effects: readonly string[]
  word: string
  look: 'primary' | 'danger'
  changes: Partial<Pick<TradingSwitch, 'live_trading' | 'halted'>>
  /** Whether an administrator can say why, and what the field has at first. */
  reason?: string
}

const steps = {
  halt: {
    title: 'Halt all trading',
    effects: [
      'No bot of any user sends an order, on paper or live, neither to open nor to close.',
      'Signals that would open are refused. They are not followed later.',
      'Closes wait. When trading goes on, their owners decide about each.',
      'Positions stay open at the exchanges. Orders that were sent before may still be filled, and are booked.',
    ],
    word: 'Halt all trading',
    look: 'danger',
    changes: { halted: true },
    reason: '',
  },
  openings: {
    title: 'Halt openings',
    effects: [
      'No bot of any user opens a position or adds to one, on paper or live.',
      'Signals that would open are refused. They are not followed later.',
      'Closes go on, by signals, by limits and by hand.',
    ],
    word: 'Halt openings',
    look: 'danger',
    changes: { halted: 'openings' },
    reason: '',
  },
  resume: {
    title: 'Let trading go on',
    effects: [
      'Bots that are on follow new signals again.',
      'Signals that were refused during the halt stay refused.',
      'Closes that wait go on waiting until their owners decide.',
    ],
    word: 'Let trading go on',
    look: 'primary',
    changes: { halted: false },
  },
  live: {
    title: 'Turn live trading on',
    effects: [
      'Live bots of all users may send orders to exchanges, with real money.',
      'A bot is live only if its owner has chosen so, and has connected an account.',
    ],
    word: 'Turn on',
    look: 'danger',
    changes: { live_trading: true },
  },
  paper: {
    title: 'Turn live trading off',
    effects: [
      'No live bot of any user sends an order to an exchange, neither to open nor to close.',
      'Positions stay open at the exchanges. Closes wait, and their owners decide about each later.',
      'Paper bots go on.',
    ],
    word: 'Turn off',
    look: 'danger',
    changes: { live_trading: false },
  },
} as const satisfies Record<string, Step>

/** Whether bots of this installation may trade. */
export function Trading() {
  const { data, error, refetch } = useQuery(tradingQuery)
  const [asked, setAsked] = useState<Step | null>(null)
  if (error !== null && data === undefined) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton lines={4} />
  const { live_trading: isLive, halted } = data
  const living = isLive ? steps.paper : steps.live
  return (
    <>
      {data.halt && (
        <Notice tone="warning">
          <p>
            {halted === 'openings'
              ? 'Openings are halted. No bot of any user opens a position; closes go on.'
              : 'All trading is halted. No bot of any user sends an order.'}
          </p>
          <HaltFacts halt={data.halt} />
        </Notice>
      )}
      <ul className={styles.ways}>
        <li>
          <div>
            <h2>{haltTitle(halted)}</h2>
            <p>{haltText(halted)}</p>
          </div>
          {halted !== false && (
            <Button look={steps.resume.look} onClick={() => setAsked(steps.resume)}>
              {steps.resume.word} …
            </Button>
          )}
          {halted === false && (
            <Button look={steps.openings.look} onClick={() => setAsked(steps.openings)}>
              {steps.openings.word} …
            </Button>
          )}
          {halted !== true && (
            <Button look={steps.halt.look} onClick={() => setAsked(steps.halt)}>
              {steps.halt.word} …
            </Button>
          )}
        </li>
        {data.halt && (
          <li>
            <div>
              <h2>The reason of the halt</h2>
              <p>Every user reads it, and signals and orders that are refused name it.</p>
            </div>
            <Button onClick={() => setAsked(reasonStep(data.halt?.reason ?? ''))}>Change the reason …</Button>
          </li>
        )}
        <li>
          <div>
            <h2>{isLive ? 'Live trading is on' : 'Live trading is off'}</h2>
            <p>
              {isLive
                ? 'Live bots send orders to exchanges, with real money.'
                : 'Live bots send nothing to exchanges. Paper bots trade in their books only.'}
            </p>
          </div>
          <Button onClick={() => setAsked(living)}>{living.word} …</Button>
        </li>
      </ul>
      {asked !== null && <StepDialog step={asked} onClose={() => setAsked(null)} />}
    </>
  )
}

function haltText(halted: TradingSwitch['halted']): string {
  if (halted === 'openings') return 'No bot opens a position, not even on paper. Closes go on.'
  if (halted) return 'No bot sends an order, not even on paper, until an administrator lets trading go on.'
  return 'A halt stops the orders of all bots of all users at once, on paper too: all of them, or only those that open. Anyone can stop their own bots with Stop.'
}

/** It never halts: if somebody has let trading go on meanwhile, the service refuses. */
function reasonStep(reason: string): Step {
  return {
    title: 'Change the reason of the halt',
    effects: ['Every user reads it. Signals that were refused before keep the reason of their time.'],
    word: 'Save the reason',
    look: 'primary',
    changes: {},
    reason,
  }
}

/** Names the effects of a step, and takes it only then. */
function StepDialog({ step, onClose }: { step: Step; onClose: () => void }) {
  const queries = useQueryClient()
  const take = async (data: FormData) => {
    const given = step.reason === undefined ? {} : { reason: String(data.get('reason')).trim() }
    queries.setQueryData(tradingQuery.queryKey, await client.trading.update({ ...step.changes, ...given }))
    onClose()
  }
  return (
    <FormDialog
      title={step.title}
      word={step.word}
      look={step.look}
      onSend={take}
      onClose={onClose}
      fields={['reason']}
    >
      {(problemOf) => (
        <>
          <ul className={styles.bullets}>
            {step.effects.map((effect) => (
              <li key={effect}>{effect}</li>
            ))}
          </ul>
          {step.reason !== undefined && (
            <TextField
              label="Reason"
              name="reason"
              defaultValue={step.reason}
              maxLength={255}
              autoComplete="off"
              hint="For all users to read. It may be empty."
              problem={problemOf('reason')}
            />
          )}
        </>
      )}
    </FormDialog>
  )
}
