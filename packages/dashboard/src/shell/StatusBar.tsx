import { Search } from 'lucide-react'
import { useState } from 'react'
import { plainText } from '../base/text.ts'
import { useLiveState } from '../data/use-live.ts'
import { useQuery } from '../data/use-query.ts'
import { Button } from '../parts/Button.tsx'
import { Distance } from '../parts/Values.tsx'
import { HaltDialog } from './HaltDialog.tsx'
import { Simulation } from './Simulation.tsx'
import styles from './shell.module.css'
import { tradingQuery } from './trading.ts'

/** On top of every page: search, whether what is shown is current, what is simulated, whether trading is on, and Stop. */
export function StatusBar({ onSearch, onStop }: { onSearch: () => void; onStop: () => void }) {
  return (
    <header className={styles.bar}>
      <button
        type="button"
        className={styles.search}
        onClick={onSearch}
        aria-label="Search and commands"
        aria-keyshortcuts="Control+K Meta+K"
      >
        <Search aria-hidden />
        <span>Search and commands</span>
        <i data-keys={isApple ? '⌘ K' : 'Ctrl K'} />
      </button>
      <div className={styles.facts}>
        <Currency />
        <Trading />
        <span className={styles.wordy}>
          <Button look="danger" onClick={onStop}>
            Stop
          </Button>
        </span>
      </div>
    </header>
  )
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** Whether the page follows what happens. If not, since when what it shows is old. */
function Currency() {
  const state = useLiveState()
  return (
    <span className={styles.fact} role="status">
      {state.status === 'open' ? (
        <>
          <i className={styles.good} /> Live
        </>
      ) : (
        <>
          <i className={styles.odd} />
          <span>
            Connecting
            <span className={styles.wordy}>
              : as of <Distance at={state.since} />
            </span>
          </span>
        </>
      )}
    </span>
  )
}

/** Whether trading is on. A halt says why to anyone who asks. */
function Trading() {
  const { data } = useQuery(tradingQuery)
  const [isAsking, setAsking] = useState(false)
  const dialog = isAsking && <HaltDialog onClose={() => setAsking(false)} />
  if (data === undefined) return dialog
  if (!data.halted)
    return (
      <>
        <Simulation isLiveOn={data.live_trading} isShort={false} />
        {dialog}
      </>
    )
  const reason = data.halt?.reason ?? null
  return (
    <>
      <Simulation isLiveOn={data.live_trading} isShort />
      <button type="button" className={styles.halted} onClick={() => setAsking(true)}>
        <i className={styles.bad} /> <span>Trading is halted</span>
        {reason !== null && <span className={styles.why}>{plainText(reason)}</span>}
      </button>
      {dialog}
    </>
  )
}
