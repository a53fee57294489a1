import { useQueryClient } from '@tanstack/react-query'
import { eachOf } from '@tickwright/client'
import { type ReactNode, useRef, useState } from 'react'
import { count } from '../base/numbers.ts'
import { client } from '../data/client.ts'
import { meQuery } from '../data/queries.ts'
import { useQuery } from '../data/use-query.ts'
import { Button } from '../parts/Button.tsx'
import { RadioFields } from '../parts/Choices.tsx'
import { Buttons, Dialog } from '../parts/Dialog.tsx'
import { TextField } from '../parts/Field.tsx'
import { Failure, Notice } from '../parts/Notice.tsx'
import { HaltFacts } from './HaltFacts.tsx'
import styles from './stop.module.css'
import { tradingQuery } from './trading.ts'
import { Unprotected } from './Unprotected.tsx'

type Way = {
  id: 'off' | 'close' | 'halt' | 'resume'
  title: string
  text: string
  word: string
  act: () => Promise<string>
  unavailable?: string | undefined
  /** What can be said with it. */
  field?: ReactNode
}

/** The ways to stop, the mildest first. Each says what it does, and is done only when the service says so. */
export function StopDialog({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient()
  const { data: me } = useQuery(meQuery)
  const { data: trading } = useQuery(tradingQuery)
  const [underWay, setUnderWay] = useState<string | null>(null)
  const [done, setDone] = useState<string | null>(null)
  const [error, setError] = useState<unknown>(undefined)
  const reason = useRef<HTMLInputElement>(null)
  const [scope, setScope] = useState<Scope>('all')
  const run = async ({ word, act }: Way) => {
    setUnderWay(word)
    setError(undefined)
    setDone(null)
    try {
      setDone(await act())
    } catch (thrown) {
      setError(thrown)
    } finally {
      setUnderWay(null)
      for (const key of ['bots', 'positions', 'trading']) void queries.invalidateQueries({ queryKey: [key] })
    }
  }
  const ways: Way[] = [
    {
      id: 'off',
      title: 'Switch my bots off',
      text: 'Your bots open nothing more. Their positions stay open.',
      word: 'Switch off',
      act: switchBotsOff,
    },
    {
      id: 'close',
      title: 'Close everything',
      text: 'Your bots are switched off, and each of their positions is closed at the market.',
      word: 'Close all',
      act: closeEverything,
    },
  ]
  if (me?.role === 'admin') {
    const halted = trading?.halted ?? false
    const unavailable = trading === undefined ? 'The state of trading is not known yet.' : undefined
    if (halted !== true) {
      const isOnlyOpenings = halted === false && scope === 'openings'
      ways.push({
        id: 'halt',
        title: halted === false ? 'Halt trading' : 'Halt closes too',
        text: 'It holds for the bots of all users, until an administrator lets trading go on.',
        word: 'Halt',
        act: () => halt(isOnlyOpenings ? 'openings' : true, reason.current?.value.trim() ?? ''),
        field: (
          <>
            {halted === false && <ScopeFields scope={scope} onChange={setScope} />}
            {!isOnlyOpenings && <p>Nobody closes or protects open positions meanwhile.</p>}
            <TextField
              ref={reason}
              label="Reason, for all users to read"
              maxLength={255}
              autoComplete="off"
            />
          </>
        ),
        unavailable,
      })
    }
    if (halted !== false) {
      ways.push({
        id: 'resume',
        title: 'End the halt',
        text: 'Bots that are on follow new signals again. Closes that wait go on waiting until their owners decide.',
        word: 'Go on',
        act: goOn,
        unavailable,
      })
    }
  }
  return (
    <Dialog title="Stop" onClose={onClose}>
      {trading?.halt && (
        <Notice tone="warning">
          <p>
            {trading.halted === 'openings'
              ? 'Openings are halted: no bot opens a position, and closes go on.'
              : 'Trading is halted: no bot sends an order, and closes wait.'}
          </p>
          <HaltFacts halt={trading.halt} />
        </Notice>
      )}
      {trading?.halted === true && <Unprotected />}
      <ul className={styles.ways}>
        {ways.map((way) => (
          <li key={way.id}>
            <div>
              <h3>{way.title}</h3>
              <p>{way.text}</p>
              {way.field}
            </div>
            <Button
              look="danger"
              isBusy={underWay === way.word}
              unavailable={
                underWay !== null && underWay !== way.word ? 'Another stop is under way.' : way.unavailable
              }
              onClick={() => run(way)}
            >
              {way.word}
            </Button>
          </li>
        ))}
      </ul>
      <div aria-live="assertive">
        {done !== null && <Notice>{done}</Notice>}
        {error !== undefined && <Failure error={error} isChange />}
      </div>
      <Buttons>
        <Button onClick={onClose}>Back</Button>
      </Buttons>
    </Dialog>
  )
}

async function switchBotsOff(): Promise<string> {
  let switched = 0
  for await (const { id, status } of eachOf(client.bots.signal.list)) {
    if (status !== 'ACTIVE') continue
    await client.bots.signal.setStatus(id, { status: 'INACTIVE' })
    switched++
  }
  if (switched === 0) return 'No bot of yours was on.'
  return `${count(switched, 'bot')} switched off. Open positions stay open.`
}

async function closeEverything(): Promise<string> {
  const { bots, signals } = await client.trading.panic()
  const off = `${count(bots.length, 'bot')} switched off.`
  if (signals.length === 0) return `${off} No position was open.`
  return `${off} ${count(signals.length, 'position')} being closed; see Positions for what became of each.`
}

type Scope = 'openings' | 'all'

function ScopeFields({ scope, onChange }: { scope: Scope; onChange: (scope: Scope) => void }) {
  return (
    <RadioFields
      legend="What stops"
      name="halt_scope"
      value={scope}
      onChange={onChange}
      choices={[
        { value: 'openings', text: 'Openings only', hint: 'No bot opens a position. Closes go on.' },
        { value: 'all', text: 'Everything', hint: 'No bot sends an order, not even to close.' },
      ]}
    />
  )
}

/** An empty reason is none, and leaves the one that another administrator may just have given. */
async function halt(halted: true | 'openings', reason: string): Promise<string> {
  await client.trading.update({ halted, ...(reason === '' ? {} : { reason }) })
  return halted === true ? 'All trading is halted.' : 'Openings are halted. Closes go on.'
}

async function goOn(): Promise<string> {
  await client.trading.update({ halted: false })
  return 'Trading goes on.'
}
